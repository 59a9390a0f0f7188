/** Ends every `npm install`: the files of the API reference become assets of the Worker. */
import { copyFile, mkdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { command } from './shell/command.ts'

const FOLDER = 'src/site/assets/swagger-ui'

await command(async () => {
  await mkdir(FOLDER, { recursive: true })
  for (const file of ['swagger-ui-bundle.js', 'swagger-ui.css'])
    await copyFile(
      fileURLToPath(import.meta.resolve(`swagger-ui-dist/${file}`)),
      `${FOLDER}/${file}`,
    )
})
