/** The layout of mails, in the colors of the pages (src/pages/assets/style.css). */
import { html, raw } from 'hono/html'
import { legalDocuments, type Settings } from '../env.ts'
import { mailtoUrl } from '../http/text.ts'
import { textLanguage, textsOf } from '../texts/texts.ts'

export type MailContent = {
  /** Also the heading. */
  subject: string
  /** Number of the order, which the subject names, too. */
  order?: string
  /** Text, in lines. */
  lead: string
  url: string
  /** The text of the button. */
  button: string
  note: string
  /** How many were bought. */
  pieces?: string
  /** Where it was bought, and whom to ask: an administrator has written it. */
  shop?: { name: string; email: string } | undefined
  /** URL of a picture. */
  picture?: string | undefined
  /** Where the recipient says that no more such mails are wanted. */
  unsubscribe?: string
}

/**
 * Many mail programs ignore `<style>`, so it only has the dark colors. `!important` beats `style`. A
 * colour of the instance is the same in the dark.
 */
const darkColors = (hasOwnColor: boolean) =>
  raw(`
:root { color-scheme: light dark; supported-color-schemes: light dark }
@media (prefers-color-scheme: dark) {
  .ground { background: #0d1014 !important }
  .card { background: #15181e !important; border-color: #272d36 !important }
  .text { color: #e6e9ee !important }
  .muted { color: #a0aaba !important }${hasOwnColor ? '' : '\n  .button { background: #8fb3ff !important; color: #0b1735 !important }'}
}`)

/** Returns the color of a text that can be read on a color: by its relative luminance (WCAG 2). */
export function textOn(color: string): string {
  const luminance = [0.2126, 0.7152, 0.0722].reduce((sum, weight, i) => {
    const share = Number.parseInt(color.slice(1 + 2 * i, 3 + 2 * i), 16) / 255
    return sum + weight * (share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4)
  }, 0)
  return luminance > 0.179 ? '#171b22' : '#ffffff'
}

const lines = (text: string) =>
  text.split('\n').flatMap((line, i) => (i > 0 ? [raw('<br>'), line] : line))

const font = "font-family:system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',sans-serif"

export type MailSettings = Pick<
  Settings,
  | 'PUBLIC_URL'
  | 'INSTANCE_NAME'
  | 'INSTANCE_COLOR'
  | 'INSTANCE_LOGO'
  | 'OPERATOR_NAME'
  | 'SUPPORT_EMAIL'
  | 'LEGAL_LINKS'
>

type FootPart = { text: string; href?: string | undefined }

/** What stands below each mail: who sends it, whom to ask, and what holds. */
export async function footOf(settings: MailSettings, locale: string): Promise<FootPart[]> {
  const { layout } = await textsOf(locale)
  const { PUBLIC_URL, OPERATOR_NAME, SUPPORT_EMAIL, LEGAL_LINKS } = settings
  return [
    { text: new URL(PUBLIC_URL).host },
    ...(OPERATOR_NAME ? [{ text: OPERATOR_NAME }] : []),
    ...(SUPPORT_EMAIL
      ? [{ text: `${layout.questions}: ${SUPPORT_EMAIL}`, href: mailtoUrl(SUPPORT_EMAIL) }]
      : []),
    ...legalDocuments.flatMap((name) =>
      LEGAL_LINKS[name] ? [{ text: layout[name], href: LEGAL_LINKS[name] }] : [],
    ),
  ]
}

/**
 * Returns the HTML of a mail. `locale` is that of its texts. The card is a table, because Outlook
 * gives other elements neither a width nor a padding.
 */
export async function renderMail(
  settings: MailSettings,
  { subject, lead, url, button, note, pieces, shop, picture, unsubscribe }: MailContent,
  locale: string,
): Promise<string> {
  const { INSTANCE_NAME, INSTANCE_COLOR, INSTANCE_LOGO } = settings
  const { mail, layout, orders } = await textsOf(locale)
  const foot = await footOf(settings, locale)
  if (unsubscribe) foot.push({ text: mail.unsubscribe, href: unsubscribe })
  const color = INSTANCE_COLOR ?? '#1d4ed8'
  return String(html`<!doctype html>
<html lang="${textLanguage(locale)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${subject}</title>
<style>${darkColors(INSTANCE_COLOR !== undefined)}</style>
</head>
<body class="ground" style="margin:0;padding:0;background:#f7f8fa">
<div style="display:none;max-height:0;overflow:hidden">${lead} ${note}</div>
<table role="presentation" class="ground" width="100%" cellpadding="0" cellspacing="0" style="background:#f7f8fa">
<tr><td align="center" style="padding:32px 16px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="max-width:480px;text-align:left;${font};font-size:14px;line-height:20px;overflow-wrap:anywhere;word-break:break-word">
<tr><td class="text" style="padding:0 0 16px;color:#171b22;font-size:16px;font-weight:600">${INSTANCE_LOGO && html`<img src="${INSTANCE_LOGO}" alt="" height="24" style="height:24px;margin-right:8px;vertical-align:middle">`}${INSTANCE_NAME}</td></tr>
<tr><td class="card" style="padding:24px;border:1px solid #dfe3e9;border-radius:8px;background:#ffffff">
${picture && html`<img src="${picture}" alt="" width="430" style="display:block;width:100%;height:auto;margin:0 0 16px;border-radius:6px">`}
<h1 class="text" style="margin:0;color:#171b22;font-size:20px;line-height:28px;font-weight:600">${subject}</h1>
${pieces && html`<p class="muted" style="margin:4px 0 0;color:#566070">${pieces}</p>`}
<p class="text" style="margin:8px 0 24px;color:#171b22">${lines(lead)}</p>
<p style="margin:0 0 24px"><a class="button" href="${url}" style="display:inline-block;padding:8px 16px;border-radius:6px;background:${color};color:${textOn(color)};font-weight:500;text-decoration:none">${button}</a></p>
<p class="muted" style="margin:0 0 4px;color:#566070;font-size:12px;line-height:16px">${mail.ifNoButton}</p>
<p class="muted" style="margin:0 0 24px;color:#566070;font-size:12px;line-height:16px;word-break:break-all">${url}</p>
<p class="muted" style="margin:0;color:#566070">${note}</p>
${shop && html`<p class="muted" style="margin:16px 0 0;color:#566070">${orders.shop}: ${shop.name} – ${layout.questions}: <a class="muted" href="${mailtoUrl(shop.email)}" style="color:#566070">${shop.email}</a></p>`}
</td></tr>
<tr><td class="muted" style="padding:16px 0 0;color:#566070;font-size:12px;line-height:16px">${foot.map(({ text, href }, i) => [i > 0 && ' · ', href ? html`<a class="muted" href="${href}" style="color:#566070">${text}</a>` : text])}</td></tr>
</table>
</td></tr>
</table>
</body>
</html>`)
}
