import * as z from 'zod'
import { count, text } from '../../../src/http/fields.ts'
import { Health } from '../health.ts'
import type { Operations } from '../operation.ts'

export const monitoringOperations: Operations = {
  getHealth: {
    summary: 'Check whether the instance can serve',
    description:
      'Returns 503 only if it cannot: the configuration is not valid, the database does not ' +
      'answer, or it lacks migrations. With a master token that may do more than read the ' +
      'metrics, the answer has the parts of the instance. Up to 10 seconds old.',
    answer: Health,
    isUnavailable: true,
  },
  acknowledgeAlarm: {
    summary: 'Acknowledge an alarm',
    description:
      'Ends an alarm that lasts until somebody has looked at it, such as `foreign_transaction` and ' +
      '`contract_changed`, with the next cron run. What was found after the `version` of the alarm ' +
      'raises it again. Repeating the call changes nothing.',
    answer: z
      .object({
        acknowledged: z
          .object({
            key: text('Key of the alarm.'),
            version: count('What was looked at.'),
          })
          .describe('The alarm.'),
      })
      .meta({ id: 'AcknowledgedAlarm', description: 'What was acknowledged.' }),
    errors: ['not_found'],
  },
  getMetrics: {
    summary: 'Read the metrics of the instance',
    description:
      'Returns gauges in the text format of Prometheus, version 0.0.4. Up to 10 seconds old.',
    answer: z.file().mime('text/plain').describe('The metrics.'),
  },
}
