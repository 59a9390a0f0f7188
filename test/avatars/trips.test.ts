/** What avatars cost the database. */
import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { readAvatar } from '../../src/avatars/read.ts'
import { replaceAvatar } from '../../src/avatars/replace.ts'
import { connect } from '../../src/db/client.ts'
import type { Caller } from '../../src/http/context.ts'
import { verifyToken } from '../../src/identity/tokens.ts'
import { aToken, aUser, issuer } from '../support/makers.ts'
import { measured } from '../support/measured.ts'
import { aPng } from './pictures.ts'

async function aCaller(): Promise<Caller> {
  const caller = await verifyToken(issuer, await aToken(await aUser()), new Date())
  if (!caller) throw new Error('the token is not good')
  return caller
}

it('reads where a picture is in one trip', async () => {
  const { database, trips } = measured(env.DB)
  const caller = await aCaller()
  await readAvatar(connect(database), caller, caller.userId)
  expect(trips).toMatchObject([{ rowsRead: 3, rowsWritten: 0 }])
})

it('replaces a picture in two trips: before the bytes are read, and when they are stored', async () => {
  const { database, trips } = measured(env.DB)
  const caller = await aCaller()
  const studio = {
    db: connect(database),
    bucket: env.AVATARS,
    images: env.IMAGES,
    later: () => {},
  }
  const picture = async () => {
    expect(trips).toHaveLength(1)
    return new Blob([aPng()])
  }
  await replaceAvatar(studio, caller, caller.userId, picture, new Date())
  expect(trips).toMatchObject([
    { rowsRead: 3, rowsWritten: 0 },
    { rowsRead: 6, rowsWritten: 1 },
  ])
})
