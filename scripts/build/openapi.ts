/** `npm run openapi`: writes what is made from the declarations of endpoints, and what documents list. */
import { defineCommand, start } from '../shell/command.ts'

export const command = defineCommand(
  {
    name: 'npm run openapi',
    purpose:
      'Writes the OpenAPI document, docs/openapi.json, the types of the client, docs/catalogue.schema.json, the tables of docs/architecture.md, docs/guides/delivery.md, docs/guides/webhooks.md, docs/limits.md and docs/endpoints.md, and the pages of /docs.',
    options: {
      check: { help: 'Only fail if one of them is out of date.' },
      examples: { help: 'Record the examples again, which takes some seconds.' },
    },
    example: 'npm run openapi',
  },
  async ({ check, examples }) => {
    const { writeDocuments } = await import('./openapi/write.ts')
    await writeDocuments({ check, examples })
  },
)

if (import.meta.main) await start(command)
