/** What comes with an NFT: its phrase, and files to play and to save. */
import { audioTypes } from '../../content/download.ts'
import type { StoredFile } from '../../orders/reading/files.ts'
import { CopyField, LinkButton } from '../components/forms.tsx'
import { Section } from '../components/lists.tsx'
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
  isForHolder: boolean
}

type ContentProps = { phrase: string | null; files: readonly ShownFile[] }

export const ContentSection = (content: ContentProps) => (
  <Section id="content" title={usePage().texts.content.title}>
    <Content {...content} />
  </Section>
)

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

/** How many files come with an NFT, before somebody has it. */
export const ContentHint = ({ id, files, isForHolder }: ContentHintProps) => {
  const { locale, texts } = usePage()
  const { content } = texts
  if (files === 0 && !isForHolder) return null
  return (
    <p class="meta">
      {files > 0 && <span>{content.forOwners(files, formatCount(files, locale))}</span>}
      {isForHolder && (
        <span>
          <a href={`/nfts/${id}/content`}>{content.asHolder}</a>
        </span>
      )}
    </p>
  )
}
