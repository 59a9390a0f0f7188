/** The types that `hc<Api>` of hono/client gives, and the program of the README that uses them. */
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { hc, type InferResponseType } from 'hono/client'
import { describe, expect, expectTypeOf, it } from 'vitest'
import type { Api } from '../../src/app.ts'

const readme = await readFile('README.md', 'utf8')
const program = /```ts\n(import \{ hc \}.*?)```/s.exec(readme)?.[1] ?? ''

/** What the program needs beside it. */
const names = ['src', 'contracts', 'node_modules', 'package.json', 'worker-configuration.d.ts']

/** Returns the errors of the compiler for a program beside `src/`. */
async function compile(text: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'client-'))
  try {
    for (const name of names) await symlink(resolve(name), join(folder, name))
    const { compilerOptions } = JSON.parse(await readFile('tsconfig.json', 'utf8'))
    const config = {
      compilerOptions: { ...compilerOptions, preserveSymlinks: true },
      files: ['program.ts'],
    }
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config))
    await writeFile(join(folder, 'program.ts'), text)
    await promisify(execFile)('tsc', ['-p', folder])
    return ''
  } catch (error) {
    return error instanceof Error && 'stdout' in error ? String(error.stdout) : String(error)
  } finally {
    await rm(folder, { recursive: true })
  }
}

describe('the program of the README', () => {
  it('compiles and is at most 12 lines long', async () => {
    expect(program.trim().split('\n').length).toBeLessThanOrEqual(12)
    expect(await compile(program)).toBe('')
  })

  it('does not compile with a field of the wrong type or a field that does not exist', async () => {
    const wrong = program
      .replace('quantity: 1', "quantity: '1'")
      .replaceAll('totalPriceCents', 'price')
    const errors = await compile(wrong)
    expect(errors).toContain("Type 'string' is not assignable to type 'number'")
    expect(errors).toContain("Property 'price' does not exist")
  })
})

/** `tsc` checks these tests; at run time they do nothing. */
describe('the types of address responses', () => {
  const api = hc<Api>('http://localhost').api.public
  const { deliveryAddresses, billingAddresses } = api.user[':user_id']
  const { deliveryAddress, billingAddress } = api

  /** The keys of each member of a union. */
  type Keys<T> = T extends unknown ? keyof T : never
  type PlaceKey = 'street' | 'postal' | 'city' | 'country' | 'companyName' | 'taxId'
  type CommonKey = 'id' | 'userId' | 'createdAt' | 'updatedAt' | 'deletedAt' | PlaceKey
  type DeliveryKey = CommonKey | 'name' | 'email' | 'mobilePhone' | 'default'
  type BillingKey = CommonKey | 'isDefault'

  it('names the fields of delivery addresses', () => {
    type List = InferResponseType<typeof deliveryAddresses.$get>
    expectTypeOf<keyof List>().toEqualTypeOf<'deliveryAddresses'>()
    type Address = List['deliveryAddresses'][number]
    expectTypeOf<keyof Address>().toEqualTypeOf<DeliveryKey>()
    expectTypeOf<Address['id']>().toEqualTypeOf<number>()
    expectTypeOf<Address['street']>().toEqualTypeOf<string | null>()
    expectTypeOf<Address['default']>().toEqualTypeOf<boolean>()
  })

  it('names the fields of billing addresses', () => {
    type List = InferResponseType<typeof billingAddresses.$get>
    expectTypeOf<keyof List>().toEqualTypeOf<'billingAddresses'>()
    type Address = List['billingAddresses'][number]
    expectTypeOf<keyof Address>().toEqualTypeOf<BillingKey>()
    expectTypeOf<Address['isDefault']>().toEqualTypeOf<boolean>()
  })

  it('names the address that a request created', () => {
    type Created = InferResponseType<typeof deliveryAddress.$post>
    expectTypeOf<Keys<Created>>().toEqualTypeOf<'newDeliveryAddress' | 'newBillingAddress'>()
    type CreatedBilling = InferResponseType<typeof billingAddress.$post>
    expectTypeOf<keyof CreatedBilling>().toEqualTypeOf<'newBillingAddress'>()
    expectTypeOf<keyof CreatedBilling['newBillingAddress']>().toEqualTypeOf<BillingKey>()
  })

  it('names the address that a request updated or deleted', () => {
    type Delivery = InferResponseType<typeof deliveryAddress.$put | typeof deliveryAddress.$delete>
    expectTypeOf<Keys<Delivery>>().toEqualTypeOf<'updatedDeliveryAddress'>()
    expectTypeOf<keyof Delivery['updatedDeliveryAddress']>().toEqualTypeOf<DeliveryKey>()
    type Billing = InferResponseType<typeof billingAddress.$put | typeof billingAddress.$delete>
    expectTypeOf<Keys<Billing>>().toEqualTypeOf<'updatedBillingAddress'>()
    expectTypeOf<keyof Billing['updatedBillingAddress']>().toEqualTypeOf<BillingKey>()
  })
})
