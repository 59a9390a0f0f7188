/** The mails that the local instance has sent since its start, and the page that shows them. */
import { html } from 'hono/html'

export type LocalMail = { to: string; subject: string; text: string; html: string; at: Date }

const MAX_KEPT = 50

/** The newest first. */
const kept: LocalMail[] = []

export function keepMail(mail: LocalMail): void {
  kept.unshift(mail)
  kept.splice(MAX_KEPT)
}

/** Returns a mail as it looks for who prefers light or dark, whatever this browser prefers. */
const inScheme = (mail: string, scheme: string): string =>
  mail.replaceAll('(prefers-color-scheme: dark)', scheme === 'dark' ? 'all' : 'not all')

/** Returns a page with each mail as text, and as HTML in light and in dark, side by side. */
export const mailsPage = (): string =>
  String(html`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Mails</title>
<style>
  body { margin: 16px; font: 14px/20px system-ui, sans-serif }
  .mail { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(320px, 100%), 1fr)); gap: 8px }
  h2 { font-size: 16px }
  iframe, pre { box-sizing: border-box; width: 100%; height: 560px; margin: 0; border: 1px solid #8884 }
  pre { padding: 16px; overflow: auto; white-space: pre-wrap; overflow-wrap: anywhere }
</style>
<h1>Mails</h1>
${kept.length === 0 && html`<p>None was sent since the start.</p>`}
${kept.map(
  (mail) => html`<h2>${mail.subject}</h2>
<p>To ${mail.to}, ${mail.at.toISOString().slice(11, 19)} UTC</p>
<div class="mail">
${['light', 'dark'].map((scheme) => html`<iframe title="${scheme}: ${mail.subject}" sandbox="allow-popups" srcdoc="${inScheme(mail.html, scheme)}"></iframe>`)}
<pre tabindex="0">${mail.text}</pre>
</div>`,
)}
</html>`)
