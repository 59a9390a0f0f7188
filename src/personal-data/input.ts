/** What the endpoints of personal data take. */
import * as z from 'zod/mini'
import { cursorText, idText } from '../http/ids.ts'

export const PersonParam = z.object({ id: idText.check(z.describe('The id of the user.')) })

export const DataQuery = z.object({
  cursor: z.optional(cursorText).check(z.describe('The `nextCursor` of the previous answer.')),
})
