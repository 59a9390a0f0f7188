/** `npm run archive -- --before DATE`: moves finished orders from the database to the bucket. */
import { runCommand } from './shell/command.ts'
import { instanceOptions, instanceVariables, withInstance } from './shell/instance.ts'

await runCommand(
  {
    name: 'npm run archive',
    purpose:
      'Moves finished orders from the database to the bucket. They are read and listed as before. Safe to stop and to run again.',
    options: {
      before: {
        type: 'string',
        value: 'DATE',
        required: true,
        help: 'A day (UTC), at least 30 days ago: orders before it are archived.',
      },
      ...instanceOptions,
    },
    variables: instanceVariables,
    example: 'npm run archive -- --before 2026-01-01',
  },
  ({ before, ...instance }) =>
    withInstance(instance, async (client) => {
      let total = 0
      for (let cursor: string | null = null, isFirst = true; isFirst || cursor; isFirst = false) {
        const body = { before, ...(cursor && { cursor }) }
        const { archived, nextCursor } = await client.archiveOrders({ body })
        total += archived
        cursor = nextCursor
        if (cursor) console.log(`${total} orders so far`)
      }
      console.log(`Archived ${total} orders that were placed before ${before}.`)
    }),
)
