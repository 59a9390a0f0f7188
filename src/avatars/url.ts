/**
 * The first 48 hex digits of the SHA-256 of pages/assets/default-avatar.jpg, the picture of users
 * without an avatar. Picture URLs are immutable, so a new file needs a new value.
 */
export const DEFAULT_PICTURE = '691624d52cd7ae0400f8608f8383e0e75c39d90d982d930b'

/** Returns the R2 key of a picture, which is also its path under `/avatars/`. */
export const pictureKey = (userId: number, hash: string) => `${userId}/${hash}.jpg`

/** Matches the R2 keys of pictures. A user id has at most 15 digits, so that it is a safe integer. */
export const pictureKeyPattern = /^[1-9]\d{0,14}\/[0-9a-f]{48}\.jpg$/

/** A user with the R2 key of their picture; null if they have no avatar. */
export type AvatarOwner = { id: number; avatarKey: string | null }

export const avatarUrl = (baseUrl: string, user: AvatarOwner): string =>
  `${baseUrl}/avatars/${user.avatarKey ?? pictureKey(user.id, DEFAULT_PICTURE)}`
