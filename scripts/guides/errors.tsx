import { type ErrorCode, statusOf } from '../../src/http/errors.ts'
import { FILE_URL } from '../../src/pages/docs/layout.tsx'
import { errorGuides } from './error-guide.ts'
import { Code } from './samples.tsx'
import { Text } from './text.tsx'

/** By status: what a program does, if it does not know the code. */
const statuses: [status: string, meaning: string, action: string][] = [
  ['400', 'Something in the request is wrong', 'Correct it'],
  ['401', 'No valid token; `WWW-Authenticate` says why', 'Send a valid token'],
  ['403', 'The token may not do this', 'Use another token'],
  ['404 · 405', 'Nothing is there, or not with this method', 'Check path and method'],
  ['409 · 410', 'The present state does not allow it', 'Branch on `code`'],
  ['413 · 415', 'Too large, or of the wrong type', 'Send something else'],
  ['422', 'The idempotency key belongs to another body', 'Use a new key'],
  ['429', 'Too many requests', 'Wait for `Retry-After`, then send it again'],
  ['500 · 503', 'Our fault', 'Wait, then send it again with the same key'],
]

/** `documentationUrl` of an error leads to the entry of its code. */
export const ErrorReference = () => (
  <>
    <h1>Errors</h1>
    <p class="lead">
      A program branches on <code class="code">code</code>, which does not change. Show or log{' '}
      <code class="code">error</code>, whose text may.
    </p>
    <h2>The body of an error</h2>
    <Code>{`{
  "error": "orders[0].quantity: NFT 2 has 3 left",
  "code": "sold_out",
  "issues": [
    { "path": "orders[0].quantity", "code": "sold_out", "message": "NFT 2 has 3 left" },
    { "path": "orders[1].nftId", "code": "nft_not_found", "message": "there is no NFT 9" }
  ],
  "requestId": "7f0e4a52-5f43-4e0c-a6e1-7a3c1f0a9d0e",
  "documentationUrl": "${FILE_URL}/docs/errors#sold_out"
}`}</Code>
    <p>
      <code class="code">issues</code> has everything that is wrong with the request, or if values
      have the wrong form, only these; <code class="code">error</code> and{' '}
      <code class="code">code</code> are those of the first. <code class="code">path</code> names
      the field, and is empty for the request as a whole. On the order endpoints the body also has{' '}
      <code class="code">"orders": null</code>. Quote <code class="code">requestId</code>, which is
      the header <code class="code">x-request-id</code>, when you report a problem.
    </p>
    <h2>Status</h2>
    <div class="table" tabindex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">Status</th>
            <th scope="col">Means</th>
            <th scope="col">Do</th>
          </tr>
        </thead>
        <tbody>
          {statuses.map(([status, meaning, action]) => (
            <tr>
              <td>{status}</td>
              <td>
                <Text>{meaning}</Text>
              </td>
              <td>
                <Text>{action}</Text>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
    <h2>Codes</h2>
    <dl class="rows">
      {(Object.keys(statusOf) as ErrorCode[]).map((code) => (
        <div class="row" id={code}>
          <dt class="row-head">
            <a class="code" href={`#${code}`}>
              {code}
            </a>
            <span class="badge">{statusOf[code]}</span>
          </dt>
          <dd>
            <Text>{errorGuides[code].cause}.</Text>
          </dd>
          <dd class="hint">
            <Text>{errorGuides[code].action}.</Text>
          </dd>
        </div>
      ))}
    </dl>
  </>
)
