import { artUrl } from '../../http/links.ts'
import { usePage } from './request.ts'

type PreviewProps = {
  title: string
  description: string
  path: string
  /** The id of the NFT with the art to show. */
  artOf?: number | false
}

/** What search engines and chats show of a page (ogp.me). */
export const Preview = ({ title, description, path, artOf }: PreviewProps) => {
  const { PUBLIC_URL } = usePage().settings
  const properties = {
    title,
    description,
    type: 'website',
    url: PUBLIC_URL + path,
    ...(artOf && { image: artUrl(PUBLIC_URL, artOf, 'page') }),
  }
  return (
    <>
      <link rel="canonical" href={properties.url} />
      <meta name="description" content={description} />
      <meta name="twitter:card" content={artOf ? 'summary_large_image' : 'summary'} />
      {Object.entries(properties).map(([name, content]) => (
        <meta property={`og:${name}`} content={content} />
      ))}
    </>
  )
}
