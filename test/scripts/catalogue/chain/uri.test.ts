import { expect, it } from 'vitest'
import { sourceOf } from '../../../../scripts/catalogue/chain/uri.ts'

const gateways = { ipfs: 'http://gateway.example:8080/', arweave: 'https://ar.example' }
const CID = 'QmeSjSinHpPnmXmspMjwiXyN6zS4E9zccariGR3jxcaWtq'
const CID_V1 = 'bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi'

it.each([
  [`ipfs://${CID}/1`, `http://gateway.example:8080/ipfs/${CID}/1`],
  [`ipfs://${CID}`, `http://gateway.example:8080/ipfs/${CID}`],
  [`IPFS://ipfs/${CID_V1}/a b.json`, `http://gateway.example:8080/ipfs/${CID_V1}/a%20b.json`],
  [`${CID}/7.json`, `http://gateway.example:8080/ipfs/${CID}/7.json`],
  [CID_V1, `http://gateway.example:8080/ipfs/${CID_V1}`],
  ['ar://a-B_c9/0', 'https://ar.example/a-B_c9/0'],
  [' https://example.com/1?a=b ', 'https://example.com/1?a=b'],
])('finds %s at a server', (uri, url) => {
  expect(sourceOf(uri, gateways)).toEqual({ url })
})

it.each([
  ['data:application/json;base64,eyJuYW1lIjoiw5xiZXIifQ==', ['{"name":"Über"}']],
  ['data:application/json;charset=utf-8;BASE64,e30=', ['{}']],
  ['data:application/json;utf8,{"name":"#1, 100%"}', ['{"name":"#1, 100%"}']],
  ['data:application/json,%7B%22a%22%3A1%7D', ['{"a":1}', '%7B%22a%22%3A1%7D']],
  ['DATA:,{}', ['{}', '{}']],
])('reads %s', (uri, texts) => {
  expect(sourceOf(uri, gateways)).toEqual({ texts })
})

it.each([
  ['', 'the contract returned no URI for the token'],
  ['ftp://example.com/1', 'must be an http, https, ipfs, ar or data URI'],
  ['file:///etc/passwd', 'must be an http, https, ipfs, ar or data URI'],
  ['1.json', 'must be an http, https, ipfs, ar or data URI'],
  ['javascript:alert(1)', 'must be an http, https, ipfs, ar or data URI'],
  ['data:application/json', 'the data URI has no data'],
  ['ipfs://', 'must have a content identifier after the scheme'],
  ['ipfs://../api/v0/pin/ls', 'must have a content identifier after the scheme'],
  [`ipfs://${CID}/../../api`, 'must have a content identifier after the scheme'],
  [`ipfs://${CID}/%2e%2e/%2E%2E/api`, 'must have a content identifier after the scheme'],
  ['ipfs:////evil.example/x', 'must have a content identifier after the scheme'],
  ['ipfs://\\\\evil.example\\x', 'must have a content identifier after the scheme'],
  ['ar://http://169.254.169.254/', 'must have a content identifier after the scheme'],
])('refuses %j', (uri, sentence) => {
  expect(() => sourceOf(uri, gateways)).toThrow(sentence)
})
