import * as z from 'zod'
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
  getMetrics: {
    summary: 'Read the metrics of the instance',
    description:
      'Returns gauges in the text format of Prometheus, version 0.0.4. Up to 10 seconds old.',
    answer: z.file().mime('text/plain').describe('The metrics.'),
  },
}
