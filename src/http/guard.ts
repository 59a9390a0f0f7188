import type { Guard } from '../db/guard.ts'
import { ApiError, type ErrorCode } from './errors.ts'

/** Rejects what is written with this error if the condition holds. */
export const guard = (when: Guard['when'], code: ErrorCode, message: string): Guard => ({
  when,
  error: () => new ApiError(code, message),
})
