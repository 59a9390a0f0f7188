/** Tests must not depend on the shell in which they are started. */
import { expect, it } from 'vitest'
import { call } from '../support/call.ts'
import { environment } from '../support/environment.ts'

it('gives a command that is called none of the variables of this process', async () => {
  process.env.RPC_PORT = '1'
  const printVariables = async () => {
    console.log(JSON.stringify(Object.keys(process.env).sort()))
    return 0
  }
  const { out } = await call(printVariables, [], { NAME: 'value' })
  const isLeft = process.env.RPC_PORT === '1'
  delete process.env.RPC_PORT
  expect(JSON.parse(out)).toEqual([...Object.keys(environment()), 'NAME'].sort())
  expect(isLeft).toBe(true)
})
