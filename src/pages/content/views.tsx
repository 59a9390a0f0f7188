/** What comes with an NFT: its phrase, codes of its pieces, and files to play and to save. */
import { audioTypes } from '../../content/download.ts'
import type { StoredFile } from '../../orders/reading/files.ts'
import type { Texts } from '../../texts/en.ts'
import { CopyField, LinkButton } from '../components/forms.tsx'
import { Section } from '../components/lists.tsx'
import { QrCode } from '../components/qr.tsx'
import { usePage } from '../components/request.ts'
import { formatCount, formatSize } from '../components/text.ts'

type ShownFile = Pick<StoredFile, 'name' | 'type' | 'bytes'> & {
  /** Where it is loaded. */
  href: string
}

type ContentHintProps = {
  /** Id of the NFT. */
  id: number
  files: number
  hasCodes: boolean
  isForHolder: boolean
}

type ContentProps = { phrase: string | null; files: readonly ShownFile[] }
/** `missing`: pieces that wait for their code. */
type CodesProps = { codes: readonly string[]; missing: number }

type Released = Pick<ContentProps, 'phrase'> & { files: readonly unknown[]; hasCodes: boolean }

/** Whether an order has released anything to show. */
export const hasContent = ({ phrase, files, hasCodes }: Released): boolean =>
  phrase !== null || hasCodes || files.length > 0

/** What the content of an order is called. */
export const contentTitle = (
  { files, hasCodes }: Pick<Released, 'files' | 'hasCodes'>,
  { content }: Texts,
): string => (hasCodes && files.length === 0 ? content.codes : content.title)

export const ContentSection = ({ codes, missing, ...content }: ContentProps & CodesProps) => {
  const { texts } = usePage()
  const hasCodes = codes.length + missing > 0
  return (
    <Section id="content" title={contentTitle({ ...content, hasCodes }, texts)}>
      {hasCodes && <Codes codes={codes} missing={missing} />}
      <Content {...content} />
    </Section>
  )
}

/** Codes that are shown one by one. More are copied together. */
const MAX_ALONE = 20

/** They are shown once somebody asks for them, as the phrase is. */
const Codes = ({ codes, missing }: CodesProps) => {
  const { locale, texts } = usePage()
  const { content } = texts
  return (
    <>
      {codes.length > 0 && (
        <details>
          <summary>{content.showCodes(codes.length, formatCount(codes.length, locale))}</summary>
          {codes.length > MAX_ALONE ? (
            <CopyField id="codes" label={content.codes} text={codes.join('\n')} rows={10} />
          ) : (
            codes.map((code, i) => <Code code={code} number={i + 1} />)
          )}
        </details>
      )}
      {missing > 0 && <p>{content.missingCodes(missing, formatCount(missing, locale))}</p>}
    </>
  )
}

const Code = ({ code, number }: { code: string; number: number }) => {
  const { content } = usePage().texts
  return (
    <>
      <CopyField id={`code-${number}`} label={content.code(number)} text={code} rows={1} />
      <details>
        <summary>
          {content.asQr}
          <span class="visually-hidden"> {content.code(number)}</span>
        </summary>
        <QrCode text={code} label={content.code(number)} />
      </details>
    </>
  )
}

/** What comes with an NFT, on a page of its own. */
export const ContentPage = ({ nftId, ...content }: ContentProps & { nftId: number }) => {
  const { content: said } = usePage().texts
  return (
    <div class="flow">
      <p>
        <a href={`/nfts/${nftId}`}>{said.toNft}</a>
      </p>
      <h1 id="content">{said.title}</h1>
      <Content {...content} />
    </div>
  )
}

/** The phrase is shown once somebody asks for it: others may see the screen. */
const Content = ({ phrase, files }: ContentProps) => {
  const { content } = usePage().texts
  return (
    <>
      {phrase !== null && (
        <details>
          <summary>{content.showPhrase}</summary>
          <CopyField id="phrase" label={content.phrase} text={phrase} rows={2} />
        </details>
      )}
      {files.length > 0 && (
        <ul class="rows" aria-labelledby="content">
          {files.map((file) => (
            <FileRow file={file} />
          ))}
        </ul>
      )}
    </>
  )
}

const FileRow = ({ file: { name, type, bytes, href } }: { file: ShownFile }) => {
  const { locale, texts } = usePage()
  return (
    <li class="row">
      <div>
        <p>
          <bdi>{name}</bdi>
        </p>
        <p class="meta">{formatSize(bytes, locale)}</p>
        {audioTypes.some((audio) => audio === type) && (
          // biome-ignore lint/a11y/useMediaCaption: the files of creators have no captions
          <audio controls preload="none" src={href} aria-label={name} />
        )}
      </div>
      <LinkButton href={href} kind="small">
        {texts.content.download}
        <span class="visually-hidden"> {name}</span>
      </LinkButton>
    </li>
  )
}

/** What comes with an NFT, before somebody has it. */
export const ContentHint = ({ id, files, hasCodes, isForHolder }: ContentHintProps) => {
  const { locale, texts } = usePage()
  const { content } = texts
  if (files === 0 && !hasCodes && !isForHolder) return null
  return (
    <p class="meta">
      {files > 0 && <span>{content.forOwners(files, formatCount(files, locale))}</span>}
      {hasCodes && <span>{content.codeForOwners}</span>}
      {isForHolder && (
        <span>
          <a href={`/nfts/${id}/content`}>{content.asHolder}</a>
        </span>
      )}
    </p>
  )
}
