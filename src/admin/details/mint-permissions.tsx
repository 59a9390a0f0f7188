/** Contracts of which a user may list pieces that are minted, on the page of the user. */
import type { MintPermission } from '../../creators/mint-permissions.ts'
import {
  Field,
  Hidden,
  Problem,
  Select,
  Submit,
  useProblem,
} from '../../pages/components/forms.tsx'
import { Meta, Rows, Section } from '../../pages/components/lists.tsx'
import { usePage } from '../../pages/components/request.ts'
import { ExplorerLink, When } from '../../pages/components/values.tsx'

type Props = { id: number; permissions: readonly MintPermission[] }

export const MintPermissions = ({ id, permissions }: Props) => {
  const action = `/operations/users/${id}/mint-permissions`
  return (
    <Section id="mint" title="May list what a contract mints">
      <p class="hint">Whoever owns a contract may do so without a permission.</p>
      <Rows
        items={permissions}
        labelledby="mint"
        empty="There are no permissions."
        row={({ network, contract, createdAt }) => (
          <li class="row line">
            <Meta
              facts={[
                network,
                <ExplorerLink network={network} kind="address" value={contract} />,
                <When what="Permitted" at={createdAt} />,
              ]}
            />
            <form method="post" action={action} class="actions">
              <Hidden values={{ network, contract, permitted: 'false' }} />
              <Submit kind="small">
                Take back<span class="visually-hidden"> the permission for {contract}</span>
              </Submit>
            </form>
          </li>
        )}
      />
      <form method="post" action={action} class="panel inline-form">
        <Hidden values={{ permitted: 'true' }} />
        <Select
          name="network"
          label="Network"
          options={Object.fromEntries(
            Object.keys(usePage().settings.NETWORKS).map((name) => [name, name]),
          )}
        />
        <Field name="contract" label="Contract" required spellcheck={false} maxlength={100} />
        <Submit>Permit</Submit>
        <Problem id="network-problem" text={useProblem('network')} />
      </form>
    </Section>
  )
}
