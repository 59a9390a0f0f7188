import { expect, it } from 'vitest'
import { readTexts } from '../../../../scripts/operate/catalogue/chain/metadata.ts'
import { aServer } from './world.ts'

const CID = 'QmeSjSinHpPnmXmspMjwiXyN6zS4E9zccariGR3jxcaWtq'
const CID_V1 = 'bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi'

const read = (uri: string, ipfsGateway = 'https://ipfs.example.com') =>
  readTexts(uri, { ipfsGateway, loopbackHosts: [] })

it.each([
  [`ipfs://${CID}/1`, `/ipfs/${CID}/1`],
  [`ipfs://${CID}`, `/ipfs/${CID}`],
  [`IPFS://ipfs/${CID_V1}/a b.json`, `/ipfs/${CID_V1}/a%20b.json`],
  [`${CID}/7.json`, `/ipfs/${CID}/7.json`],
  [`ipfs://${CID}/Ape #1 100%/%41.json?x=1`, `/ipfs/${CID}/Ape%20%231%20100%25/%41.json?x=1`],
  [CID_V1, `/ipfs/${CID_V1}`],
])('reads %s from the gateway, which need not be public', async (uri, path) => {
  const { url, requests } = await aServer()
  await read(uri, `${url}/`)
  expect(requests).toEqual([path])
})

it('allows the author of a contract nothing else at the gateway', async () => {
  const { url, requests } = await aServer()
  await expect(read(`${url}/api`, url)).rejects.toThrow('uri: must point to a public host')
  expect(requests).toEqual([])
})

it.each([
  ['data:application/json;base64,eyJuYW1lIjoiw5xiZXIifQ==', ['{"name":"Über"}']],
  ['data:application/json;utf8,{"name":"#1, 100%"}', ['{"name":"#1, 100%"}']],
  ['data:application/json,%7B%22a%22%3A1%7D', ['{"a":1}', '%7B%22a%22%3A1%7D']],
  ['DATA:,{}', ['{}', '{}']],
])('reads %s', async (uri, texts) => {
  expect(await read(uri)).toEqual(texts)
})

it.each([
  ['', 'uri: is missing in the contract'],
  ['ftp://example.com/1', 'uri: must be an http, https, ipfs, ar or data URI'],
  ['1.json', 'uri: must be an http, https, ipfs, ar or data URI'],
  ['data:application/json', 'uri: must have data'],
  ['ipfs://../api/v0/pin/ls', 'uri: must have a content identifier after the scheme'],
  [`ipfs://${CID}/../../api`, 'uri: must have a content identifier after the scheme'],
  [`ipfs://${CID}/%2e%2e/%2E%2E/api`, 'uri: must have a content identifier after the scheme'],
  ['ipfs:////evil.example/x', 'uri: must have a content identifier after the scheme'],
  ['ipfs://\\\\evil.example\\x', 'uri: must have a content identifier after the scheme'],
  ['ar://http://169.254.169.254/', 'uri: must have a content identifier after the scheme'],
])('refuses %j', async (uri, sentence) => {
  await expect(read(uri)).rejects.toThrow(sentence)
})
