import { expect, it } from 'vitest'
import { parseDestination } from '../../src/http/destination.ts'

const field = 'avatarUrl'

/** The URLs of a text. */
const list = (text: string) => text.trim().split(/\s+/)

/** URLs that must be rejected, by their destination. */
const rejected = {
  'the loopback interface': [
    ...list(`
      http://127.0.0.1/ http://127.0.0.1:80/ http://127.1/ http://127.255.255.254/
      http://2130706433/ http://017700000001/ http://0177.0.0.01/ http://0x7f.0x0.0x0.0x1/
      http://127.0.0.1./ http://①②⑦.⓪.⓪.①/ http://127。0。0。1/ http://%31%32%37.0.0.1/
      http://0/ http://[::1]/ http://[::]/ http://[0000::0001]/ http://LOCALHOST/
      http://localhost../ http://www.localhost/ http://loc%61lhost/ http://ｌｏｃａｌｈｏｓｔ/
      http://localhost.localdomain/
    `),
    'http://local\thost/',
  ],
  'private networks': list(`
    http://10.0.0.1/ http://10.255.255.255/ http://172.16.0.1/ http://172.31.255.254/
    http://192.168.1.1/ http://3232235777/ http://100.64.0.1/ http://100.127.255.254/
    http://[fc00::1]/ http://[fd12:3456:789a::1]/ http://[fec0::1]/
  `),
  'metadata services and link-local addresses': list(`
    http://169.254.169.254/latest/meta-data/ http://2852039166/ http://[fe80::1]/
    http://[febf::1]/ http://metadata.google.internal/ http://metadata/
  `),
  'an IPv4 address inside an IPv6 address': list(`
    http://[::ffff:127.0.0.1]/ http://[::ffff:8.8.8.8]/ http://[::7f00:1]/
    http://[::ffff:0:127.0.0.1]/ http://[64:ff9b::a9fe:a9fe]/ http://[64:ff9b:1::1]/
    http://[2002:7f00:1::]/ http://[2001:0:53aa:64c:0:0:80ff:fffe]/
  `),
  'reserved addresses': list(`
    http://192.0.0.1/ http://192.0.2.1/ http://198.18.0.1/ http://198.51.100.1/
    http://203.0.113.1/ http://192.88.99.1/ http://224.0.0.1/ http://239.255.255.250/
    http://240.0.0.1/ http://255.255.255.255/ http://[ff02::1]/ http://[100::1]/
    http://[2001:db8::1]/ http://[3fff::1]/ http://[5f00::1]/ http://[4000::1]/
  `),
  'names that are not public': list(`
    http://intranet/ http://db.internal/ http://printer.local./ http://nas.home.arpa/
    http://nas.lan/ http://wiki.corp/ http://1.0.0.127.in-addr.arpa/ http://hidden.onion/
    http://service.test/ http://service.example/ http://service.invalid/ http://...internal/
  `),
  'a URL with credentials, another scheme or a syntax error': [
    ...list(`
      http://user@pictures.example.com/ http://:secret@pictures.example.com/
      http://pictures.example.com@127.0.0.1/ http://127.0.0.1#@pictures.example.com/
      http:127.0.0.1/ //127.0.0.1/ http://pictures.example.com:99999/ file:///etc/passwd
      data:image/png;base64,iVBORw0KGgo= javascript:alert(1) ws://pictures.example.com/
      /avatars/1/a.jpg http:// http://[::1/ http://[fe80::1%25eth0]/ http://256.256.256.256/
    `),
    'http://127.0.0.1\\@pictures.example.com/',
    `https://${'a'.repeat(64)}.example.com/`,
    `https://${'a.'.repeat(130)}example.com/`,
  ],
}

it.each(Object.entries(rejected))('rejects %s', (_, urls) => {
  for (const url of urls)
    expect(() => parseDestination(url, { field, loopbackHosts: [] }), url).toThrow(
      'avatarUrl: must',
    )
})

it.each([
  'http://pictures.example.com/a.jpg',
  'https://pictures.example.com:443/a.jpg?size=large#top',
  'http://pictures.example.com:8080/',
  'https://PICTURES.example.com./a.jpg',
  'https://bücher.example.com/a.jpg',
  'http://localhost.example.com/',
  'http://8.8.8.8/',
  'http://134744072/',
  'http://172.15.0.1/',
  'http://172.32.0.1/',
  'http://100.128.0.1/',
  'http://[2606:4700:4700::1111]/',
  'http://[2a00:1450:4001:80e::200e]/',
])('accepts a public host: %s', (text) => {
  expect(parseDestination(text, { field, loopbackHosts: [] }).href).toBe(new URL(text).href)
})

it('accepts a loopback host only if the configuration names it with its port', () => {
  const loopbackHosts = ['127.0.0.1:8000', '[::1]:8000']
  const parse = (text: string) => parseDestination(text, { field, loopbackHosts })
  expect(parse('http://127.0.0.1:8000/a').host).toBe('127.0.0.1:8000')
  expect(parse('http://0x7f000001:8000/a').host).toBe('127.0.0.1:8000')
  expect(parse('http://[0:0::1]:8000/a').host).toBe('[::1]:8000')
  for (const text of [
    'http://127.0.0.1/',
    'http://127.0.0.1:8001/',
    'http://127.0.0.2:8000/',
    'http://localhost:8000/',
    'http://user@127.0.0.1:8000/',
    'ftp://127.0.0.1:8000/',
  ])
    expect(() => parse(text), text).toThrow('avatarUrl: must')
})

it('accepts every port of a loopback host that the configuration names so', () => {
  const loopbackHosts = ['localhost:*', '127.0.0.1:*']
  for (const text of [
    'http://localhost:3000/hook',
    'http://127.0.0.1:65535/',
    'http://127.1:8000/',
  ]) {
    const destination = { field, loopbackHosts, isHttpsOnly: true }
    expect(parseDestination(text, destination).href).toBe(new URL(text).href)
  }
  for (const text of [
    'http://127.0.0.2:8000/',
    'http://[::1]:8000/',
    'http://10.0.0.1:8000/',
    'http://localhost.:8000/',
    'http://user@localhost:8000/',
  ])
    expect(() => parseDestination(text, { field, loopbackHosts }), text).toThrow('avatarUrl: must')
})
