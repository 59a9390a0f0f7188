import { styleText } from 'node:util'

type Start = { url: string; rpcUrl: string; token: string }

/** What `npm run dev` prints when the marketplace is ready. */
export function welcome({ url, rpcUrl, token }: Start): string {
  const bold = (text: string) => styleText('bold', text)
  return `
${bold('Marketplace')}  ${url}
${bold('Docs')}         ${url}/docs
${bold('Chain')}        ${rpcUrl}

${bold('Three things to try')}

1. See what a buyer sees: sign in as bo@example.com. The link that is mailed appears below.
${url}/orders

2. Place an order in a second terminal: user 3, Bo, buys one piece of NFT 2.
export TOKEN=${token}
curl -s ${url}/api/externalOrders -H "Authorization: Bearer $TOKEN" -d '[{"nftId":2,"listingId":2,"quantity":1,"buyerUserId":3}]'

3. See what operators see: sign in as ada@example.com. The token above is that of a shop;
   \`npm run --silent token -- --master\` prints one for everything.
${url}/operations

Press Ctrl-C to stop. \`npm run dev -- --fresh\` deletes the data.
`
}
