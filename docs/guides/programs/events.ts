import { readFile, rename, writeFile } from 'node:fs/promises'
import { createClient } from '@marketplace-api/marketplace'

const token = process.env.TOKEN ?? ''
const client = createClient({ url: 'http://localhost:8787', token })
const position = await readFile('position', 'utf8').catch(() => '')
for await (const page of client.pages('listEvents', position ? { after: position } : {})) {
  for (const { id, type, data } of page.events) console.log(id, type, JSON.stringify(data))
  // A file that is replaced is never half written.
  await writeFile('position.new', page.nextAfter ?? '')
  await rename('position.new', 'position')
}
