/** The layout of mails, in the colors of the pages (src/pages/assets/style.css). */
import { html, raw } from 'hono/html'

export type MailContent = {
  /** Also the heading. */
  subject: string
  lead: string
  url: string
  /** The text of the button. */
  button: string
  note: string
  /** URL of a picture. */
  picture?: string | undefined
  /** Where the recipient says that no more such mails are wanted. */
  unsubscribe?: string
}

/** Many mail programs ignore `<style>`, so it only has the dark colors. `!important` beats `style`. */
const darkColors = raw(`
:root { color-scheme: light dark; supported-color-schemes: light dark }
@media (prefers-color-scheme: dark) {
  .ground { background: #0d1014 !important }
  .card { background: #15181e !important; border-color: #272d36 !important }
  .text { color: #e6e9ee !important }
  .muted { color: #a0aaba !important }
  .button { background: #8fb3ff !important; color: #0b1735 !important }
}`)

const font = "font-family:system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',sans-serif"

/**
 * Returns the HTML of a mail. `host` is that of this site. The card is a table, because Outlook
 * gives other elements neither a width nor a padding.
 */
export const renderMail = (
  host: string,
  { subject, lead, url, button, note, picture, unsubscribe }: MailContent,
): string =>
  String(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${subject}</title>
<style>${darkColors}</style>
</head>
<body class="ground" style="margin:0;padding:0;background:#f7f8fa">
<div style="display:none;max-height:0;overflow:hidden">${lead} ${note}</div>
<table role="presentation" class="ground" width="100%" cellpadding="0" cellspacing="0" style="background:#f7f8fa">
<tr><td align="center" style="padding:32px 16px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="max-width:480px;text-align:left;${font};font-size:14px;line-height:20px">
<tr><td class="text" style="padding:0 0 16px;color:#171b22;font-size:16px;font-weight:600">Marketplace</td></tr>
<tr><td class="card" style="padding:24px;border:1px solid #dfe3e9;border-radius:8px;background:#ffffff">
${picture && html`<img src="${picture}" alt="" width="430" style="display:block;width:100%;height:auto;margin:0 0 16px;border-radius:6px">`}
<h1 class="text" style="margin:0;color:#171b22;font-size:20px;line-height:28px;font-weight:600">${subject}</h1>
<p class="text" style="margin:8px 0 24px;color:#171b22">${lead}</p>
<p style="margin:0 0 24px"><a class="button" href="${url}" style="display:inline-block;padding:8px 16px;border-radius:6px;background:#1d4ed8;color:#ffffff;font-weight:500;text-decoration:none">${button}</a></p>
<p class="muted" style="margin:0 0 4px;color:#566070;font-size:12px;line-height:16px">If the button does not work, open this address:</p>
<p class="muted" style="margin:0 0 24px;color:#566070;font-size:12px;line-height:16px;word-break:break-all">${url}</p>
<p class="muted" style="margin:0;color:#566070">${note}</p>
</td></tr>
<tr><td class="muted" style="padding:16px 0 0;color:#566070;font-size:12px;line-height:16px">${host}${unsubscribe && html` · <a class="muted" href="${unsubscribe}" style="color:#566070">No more mails about orders</a>`}</td></tr>
</table>
</td></tr>
</table>
</body>
</html>`)
