/** What the operator has set for all pages: name, logo, colour, and what the foot says. */
import { raw } from 'hono/html'
import { DEFAULT_NAME, legalDocuments, type Settings } from '../env.ts'
import { mailtoUrl } from '../http/text.ts'
import { textOn } from '../mail/html.ts'
import { languages, textLanguage } from '../texts/texts.ts'
import { usePage } from './components/request.ts'

/** An error may come before the settings are read. */
const useSettings = (): Partial<Settings> => usePage().settings ?? {}

export const useInstanceName = (): string => useSettings().INSTANCE_NAME ?? DEFAULT_NAME

/** The origins besides that of the instance that pages may load pictures from. */
export const pictureOrigins = ({ INSTANCE_LOGO }: Partial<Settings>): string[] =>
  INSTANCE_LOGO ? [new URL(INSTANCE_LOGO).origin] : []

/** The colour of buttons. */
export const BrandStyle = ({ nonce }: { nonce: string }) => {
  const { INSTANCE_COLOR: color } = useSettings()
  if (!color) return null
  const hovered = `color-mix(in srgb, ${color} 85%, ${textOn(color)})`
  const css = `:root{--button:${color};--button-strong:${hovered};--on-button:${textOn(color)}}`
  return <style nonce={nonce}>{raw(css)}</style>
}

export const Brand = () => (
  <a class="brand" href="/">
    <img src={useSettings().INSTANCE_LOGO ?? '/icon.svg'} alt="" height="24" />
    <span>{useInstanceName()}</span>
  </a>
)

/** `hasLanguages`: whether this page can be read in other languages. */
export const Foot = ({ host, hasLanguages }: { host: string; hasLanguages: boolean }) => {
  const { OPERATOR_NAME, SUPPORT_EMAIL, LEGAL_LINKS = {} } = useSettings()
  const { layout } = usePage().texts
  return (
    <footer class="foot">
      {hasLanguages && <Languages label={layout.language} />}
      <span>{OPERATOR_NAME ?? host}</span>
      {legalDocuments.map(
        (name) => LEGAL_LINKS[name] && <a href={LEGAL_LINKS[name]}>{layout[name]}</a>,
      )}
      {SUPPORT_EMAIL && (
        <span>
          {layout.questions}: <a href={mailtoUrl(SUPPORT_EMAIL)}>{SUPPORT_EMAIL}</a>
        </span>
      )}
      <a href="/docs">{layout.apiReference}</a>
    </footer>
  )
}

/** Chooses the language, then leads back to this page. */
export const Languages = ({ label }: { label: string }) => {
  const current = textLanguage(usePage().locale)
  return (
    <form method="post" action="/language" class="languages" aria-label={label}>
      {Object.entries(languages).map(([language, name]) => (
        <button
          class="link"
          type="submit"
          name="language"
          value={language}
          lang={language}
          aria-current={language === current ? 'true' : undefined}
        >
          {name}
        </button>
      ))}
    </form>
  )
}
