/// <reference path="./lucide.d.ts" />
/** Icons of lucide.dev (ISC license), inlined into the pages. */
import type { IconNode } from 'lucide'
import operations from 'lucide/dist/esm/icons/activity.mjs'
import selling from 'lucide/dist/esm/icons/banknote.mjs'
import alert from 'lucide/dist/esm/icons/circle-alert.mjs'
import succeeded from 'lucide/dist/esm/icons/circle-check.mjs'
import failed from 'lucide/dist/esm/icons/circle-x.mjs'
import code from 'lucide/dist/esm/icons/code-xml.mjs'
import copy from 'lucide/dist/esm/icons/copy.mjs'
import external from 'lucide/dist/esm/icons/external-link.mjs'
import collection from 'lucide/dist/esm/icons/frame.mjs'
import key from 'lucide/dist/esm/icons/key-round.mjs'
import leave from 'lucide/dist/esm/icons/log-out.mjs'
import address from 'lucide/dist/esm/icons/map-pin.mjs'
import session from 'lucide/dist/esm/icons/monitor.mjs'
import plus from 'lucide/dist/esm/icons/plus.mjs'
import order from 'lucide/dist/esm/icons/shopping-bag.mjs'
import upload from 'lucide/dist/esm/icons/upload.mjs'
import user from 'lucide/dist/esm/icons/user-round.mjs'
import wallet from 'lucide/dist/esm/icons/wallet.mjs'
import webhook from 'lucide/dist/esm/icons/webhook.mjs'

const icons = {
  address,
  alert,
  code,
  collection,
  copy,
  external,
  failed,
  key,
  leave,
  operations,
  order,
  plus,
  selling,
  session,
  succeeded,
  upload,
  user,
  wallet,
  webhook,
} satisfies Record<string, IconNode>

export type IconName = keyof typeof icons

/** A picture beside text that says the same, so screen readers skip it. `size` is in pixels. */
export const Icon = ({ name, size = 16 }: { name: IconName; size?: number }) => (
  <svg
    class="icon"
    viewBox="0 0 24 24"
    width={size}
    height={size}
    fill="none"
    stroke="currentColor"
    stroke-width="2"
    stroke-linecap="round"
    stroke-linejoin="round"
    aria-hidden="true"
  >
    {icons[name].map(([Tag, attributes]) => (
      <Tag {...attributes} />
    ))}
  </svg>
)
