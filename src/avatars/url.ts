/** Where a user's picture is. Decisions: "Avatars". */

/**
 * Stands where the content hash stands, in the address of a picture that is drawn from the
 * user's id (see drawn.ts). Change it when the drawings change: their addresses are immutable.
 */
export const DRAWN = '5528f61b8fd18071a23b1952089c0753ae8a497b09032d6b'

/** Key in R2, and path under `/avatars/`, of a picture. */
export const keyOf = (userId: number, hash: string) => `${userId}/${hash}.jpg`

/** The address of the user's picture; of the drawn one while the user has given none. */
export const avatarUrlOf = (base: string, user: { id: number; avatarKey: string | null }): string =>
  `${base}/avatars/${user.avatarKey ?? keyOf(user.id, DRAWN)}`
