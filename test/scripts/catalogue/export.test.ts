import { expect, it, vi } from 'vitest'
import { readCatalogue } from '../../../scripts/operate/catalogue/export.ts'

it('reads a page again while another program writes to the database', async () => {
  const busy = new Error('D1_ERROR: Failed to get session commit token: internal error')
  const values = vi
    .fn(async (): Promise<unknown[]> => [])
    .mockRejectedValueOnce(busy)
    .mockResolvedValueOnce([[1, '{"type":"user"}']])
  const lines: string[] = []
  for await (const line of readCatalogue({ values } as never)) lines.push(line)
  expect(lines).toEqual(['{"type":"user"}'])
})
