/** Makes the files of records those of their NFTs. The aliases are those of `sql.ts`. */

/** The files of the records that this import has changed, with the NFT of each. */
const named = `SELECT n.id AS nftId, f.key AS place, f.value ->> 'name' AS name,
    f.value ->> 'type' AS type, f.value ->> 'bytes' AS bytes, f.value ->> 'sha256' AS sha256
  FROM r JOIN nfts n ON n.externalId = r.externalId
    CROSS JOIN json_each(r.record, '$.content.files') f
  WHERE r.type = 'nft' AND n.updatedAt = r.now`

/** Whether the row `c` of `contentFiles` has the bytes that the file `f` of a record names. */
const isSame = 'f.nftId = c.nftId AND f.name = c.name AND f.sha256 = c.sha256 AND f.bytes = c.bytes'

/**
 * Removes what no record names any more. While the bytes of another version are missing, people get the
 * one that is stored.
 */
const removeFiles = `, f AS MATERIALIZED (${named})
  UPDATE contentFiles AS c SET state = 'removed', changedAt = (SELECT now FROM r LIMIT 1)
  WHERE c.state <> 'removed' AND c.nftId IN (SELECT n.id FROM r JOIN nfts n ON n.externalId = r.externalId
      WHERE r.type = 'nft' AND n.updatedAt = r.now)
    AND NOT EXISTS (SELECT 1 FROM f WHERE ${isSame}
      OR c.state = 'stored' AND f.nftId = c.nftId AND f.name = c.name)`

const moveFiles = `, f AS MATERIALIZED (${named})
  UPDATE contentFiles AS c SET place = f.place, type = f.type FROM f
  WHERE c.state <> 'removed' AND ${isSame}`

const addFiles = `, f AS MATERIALIZED (${named})
  INSERT INTO contentFiles (key, nftId, name, place, type, bytes, sha256, state, changedAt)
  SELECT lower(hex(randomblob(16))), f.nftId, f.name, f.place, f.type, f.bytes, f.sha256, 'missing',
    (SELECT now FROM r LIMIT 1)
  FROM f WHERE NOT EXISTS (SELECT 1 FROM contentFiles c WHERE c.state <> 'removed' AND ${isSame})`

/** The statements, in their order, after that of the NFTs. */
export const writeFiles = [removeFiles, moveFiles, addFiles]

/** The `content` of the record of the NFT `n`, as JSON. A version whose bytes are missing comes first. */
export const contentRecord = `iif(n.contentRelease IS NULL, 'null', '{"release":' || json_quote(n.contentRelease)
  || ',"phrase":' || json_quote(n.secretPhrase) || ',"codes":' || iif(n.hasCodes, 'true', 'false')
  || ',"files":' || (
    SELECT json_group_array(json_object('name', name, 'type', type, 'bytes', bytes, 'sha256', sha256))
    FROM (SELECT * FROM contentFiles c WHERE c.nftId = n.id AND c.state <> 'removed'
      AND (c.state = 'missing' OR NOT EXISTS (SELECT 1 FROM contentFiles m
        WHERE m.nftId = c.nftId AND m.state = 'missing' AND m.name = c.name))
      ORDER BY c.place)) || '}')`
