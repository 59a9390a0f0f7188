/** Database trips of the avatar endpoints. */
import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { verifyToken } from '../../src/auth/tokens.ts'
import { replaceAvatar } from '../../src/avatars/replace.ts'
import { connect } from '../../src/db/client.ts'
import type { Caller } from '../../src/http/context.ts'
import { issuer } from '../support/makers.ts'
import { measured } from '../support/measured.ts'
import { aPng } from './pictures.ts'
import { aCaller } from './uploads.ts'

async function aVerifiedCaller(): Promise<Caller> {
  const { token } = await aCaller()
  const caller = await verifyToken(issuer, token, new Date())
  if (!caller) throw new Error('the token is not valid')
  return caller
}

it('replaces an avatar in three trips: before it is read, is converted, and after it is stored', async () => {
  const { database, trips } = measured(env.DB)
  const caller = await aVerifiedCaller()
  const ctx = {
    db: connect(database),
    caller,
    settings: { MAX_PICTURES_PER_DAY: 150 },
    now: new Date(),
    bucket: env.AVATARS,
    images: env.IMAGES,
    waitUntil: () => {},
  }
  const readPicture = async () => {
    expect(trips).toHaveLength(1)
    return new Blob([aPng()])
  }
  await replaceAvatar(ctx, { userId: caller.userId, readPicture })
  expect(trips).toMatchObject([
    { rowsRead: 3, rowsWritten: 0 },
    { rowsRead: 1, rowsWritten: 4 },
    { rowsRead: 7, rowsWritten: 1 },
  ])
})
