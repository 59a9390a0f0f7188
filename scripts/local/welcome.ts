import { styleText } from 'node:util'

type Start = { url: string; rpcUrl: string; token: string; nextOrderId: number }

/** What `npm run dev` prints when the marketplace is ready. */
export function welcome({ url, rpcUrl, token, nextOrderId }: Start): string {
  const api = `${url}/api/externalOrders`
  const bold = (text: string) => styleText('bold', text)
  return `
${bold('Marketplace')}  ${url}
${bold('Sign in')}      ${url}/sign-in (the link that is mailed appears below)
${bold('Docs')}         ${url}/docs
${bold('Chain')}        ${rpcUrl}

A master token, for a second terminal:
export TOKEN=${token}

Place an order: user 3 buys one piece of NFT 2.
curl -s ${api} -H "Authorization: Bearer $TOKEN" -d '[{"nftId":2,"listingId":2,"quantity":1,"buyerUserId":3}]'

Follow it: its item becomes \`transferred\` within seconds.
curl -s ${api}/${nextOrderId} -H "Authorization: Bearer $TOKEN"

Move its time, take back blocks, set back its database: ${url}/docs/local
npm run dev -- --advance 25h

Next steps: ${url}/docs. Press Ctrl-C to stop. \`npm run dev -- --fresh\` deletes the data.
`
}
