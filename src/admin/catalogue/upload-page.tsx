/** The form for the file of a catalogue, and what the last import has done. */
import type { Counts } from '../../catalogue/import.ts'
import { catalogueLimits, describeLimit } from '../../limits.ts'
import { Field, Submit } from '../../pages/components/forms.tsx'
import { AdminLayout, Table } from '../components/layout.tsx'

export const PATH = '/operations/catalogue'

/** `counts`: of the import that leads here. */
export const UploadPage = ({ counts }: { counts: Counts | null }) => (
  <AdminLayout path={PATH} notice={counts && 'The catalogue is imported.'}>
    <h1>Catalogue</h1>
    {counts && <CountsTable counts={counts} />}
    <p class="lead">
      A file of users, NFTs and listings, as JSON Lines or as a spreadsheet (CSV). First you see
      what it would change. <a href="/docs/catalogue">How to write it</a>
    </p>
    <form method="post" action={PATH} enctype="multipart/form-data" class="panel inline-form">
      <Field
        name="file"
        label="File"
        type="file"
        accept=".jsonl,.csv,.tsv,.txt"
        required
        hint={`At most ${describeLimit(catalogueLimits.body)} and ${describeLimit(catalogueLimits.importLines)} lines. npm run import divides a larger one.`}
      />
      <Submit kind="primary">Show what it changes</Submit>
    </form>
  </AdminLayout>
)

const names = { user: 'Users', nft: 'NFTs', listing: 'Listings' }

export const CountsTable = ({ counts }: { counts: Counts }) => (
  <Table
    label="Records"
    head={['Records', 'New', 'Changed', 'Unchanged']}
    rows={Object.entries(names).map(([type, name]) => {
      const { created, updated, unchanged } = counts[type as keyof Counts]
      return [name, created, updated, unchanged]
    })}
  />
)
