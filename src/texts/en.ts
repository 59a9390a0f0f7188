/**
 * The English texts, which the other languages follow: what is missing in one does not compile.
 * Where an element stands in a sentence, the parts of the sentence are an array. `shown` is the
 * number as it is written.
 */
import type { Child } from 'hono/jsx'
import type { ReasonCode } from '../db/schema/delivery.ts'

export const en = {
  layout: {
    skip: 'Skip to the content',
    main: 'Main',
    nfts: 'NFTs',
    api: 'API',
    apiReference: 'API reference',
    language: 'Language',
    imprint: 'Legal notice',
    terms: 'Terms',
    privacy: 'Privacy',
    questions: 'Questions',
    menuOf: (name: string) => `Menu of ${name}`,
    yourAccount: 'Your account',
    operations: 'Operations',
    signOut: 'Sign out',
    cancel: 'Cancel',
  },
  settings: {
    title: 'Settings',
    profile: 'Profile',
    addresses: 'Addresses',
    account: 'Account',
    selling: 'Selling',
    sessions: 'Sessions',
    'api-access': 'API Access',
    webhooks: 'Webhooks',
    tooOld: (toDo: string) => `You signed in more than 10 minutes ago. Sign in again to ${toDo}.`,
  },
  time: { now: 'just now', soon: 'in a moment' },
  signIn: {
    title: 'Sign in',
    notices: {
      'signed-out': 'You are signed out.',
      required: 'Sign in to open this page.',
      'not-saved': 'Your session has ended, so nothing was saved. Sign in, then enter it again.',
    },
    toAccount: (host: string) => `to your account at ${host}`,
    toOther: (host: string) => `to continue to ${host}`,
    email: 'E-mail address',
    send: 'Send me a link',
    hint: 'You need no password. The link signs you in and expires in 15 minutes.',
    or: 'or',
    orWallet: 'or with a wallet',
    notAnAddress: 'This is not an e-mail address.',
    notHuman: 'Confirm that you are a person, and send the form again.',
    again: {
      title: 'Sign in again',
      lead: 'What you are about to do needs a sign-in of the last 10 minutes.',
      byEmail: (email: Child): Child[] => [
        'We send a link to ',
        email,
        '. Open it in this browser.',
      ],
      byWallet: (address: Child): Child[] => ['Sign with your wallet ', address],
    },
    sent: {
      title: 'Check your mail',
      another: 'Another link is on its way.',
      scarce:
        'So many links were sent that only addresses with an account get one, while some are left. If none comes, try again in an hour, or sign in with a wallet.',
      to: (mailbox: Child): Child[] => ['A link is on its way to ', mailbox, '.'],
      yourMailbox: 'your mailbox',
      here: 'It works once and expires in 15 minutes. Open it in this browser.',
      anywhere: 'It works once, expires in 15 minutes, and opens on any device.',
      sendAnother: 'Send another link',
      back: 'Back to sign-in',
      otherAddress: 'Use another address',
      hint: 'No mail? Look in the spam folder. Your last three links work. We send you at most six links to a mailbox in 15 minutes.',
    },
    confirm: {
      as: (email: Child): Child[] => ['as ', email],
      endsOther: (name: string) =>
        `You are signed in as ${name}. This ends that session in this browser.`,
      hint: 'Not your address, or you did not ask for this? Close this page. Nothing changes.',
    },
  },
  brokenLink: {
    cut: 'This link is not complete',
    ended: 'This link no longer works',
    whyCut:
      'A part of it is missing. Mail programs sometimes break a long link into two lines: copy all of it from the mail, or ask for a new one.',
    oneOf: 'One of these is the reason:',
    used: 'It was used. Each link signs in once.',
    usedToLink: 'It was used. Then the e-mail address is linked.',
    tooOld: 'It is older than 15 minutes.',
    newer: 'You asked for three newer links. Open the last one.',
    otherAccount: 'You asked for it in another account.',
    signedInAs: (name: string) => `You are signed in as ${name}.`,
    toOrders: 'Go to your orders',
    sendNew: 'Send me a new link',
    toAccount: 'Go to Account',
    hint: 'There you see whether the address is linked, and can ask for a new link.',
  },
  account: {
    lead: 'You can sign in with a linked wallet or a linked e-mail address.',
    methods: 'Your ways to sign in',
    userId: (id: number) => `Your user id is ${id}.`,
    toUnlink: 'unlink one of them',
    unlink: 'Unlink',
    cannotSignIn: 'You will no longer be able to sign in to this account with it.',
    email: {
      subject: 'the e-mail address',
      ask: 'Unlink this e-mail address?',
      unlink: 'Unlink e-mail address',
    },
    wallet: {
      subject: 'the wallet',
      ask: 'Unlink this wallet?',
      unlink: 'Unlink wallet',
    },
    waitsForNext: 'What you bought and is not sent yet waits for your next wallet.',
    linkWallet: 'Link a wallet',
    noWallet: 'No wallet is linked. NFTs that you bought are sent to you once you link one.',
    toLinkWallet: 'link a wallet',
    addEmail: 'Add an e-mail address',
    whyEmail: 'With one, you can sign in without your wallet, and we tell you what changes here.',
    toAddEmail: 'add an e-mail address',
    emailToAdd: 'Address to add',
    confirm: 'Confirm your e-mail address',
    afterConfirm: (email: Child): Child[] => [
      'After you confirm, you can sign in to this account with ',
      email,
      '.',
    ],
    confirmNow: 'Confirm',
    notNow: 'Not now',
    notices: {
      'wallet-linked': 'The wallet is linked.',
      'email-linked': 'The e-mail address is linked.',
      'wallet-unlinked':
        'The wallet is unlinked. Sessions that it started go on: end those that are not yours.',
      'email-unlinked':
        'The e-mail address is unlinked. Sessions that it started go on: end those that are not yours.',
      'link-sent':
        'A link is on its way to this address. Open it in this browser. If none arrives, try again in 15 minutes.',
    },
  },
  copy: {
    button: 'Copy',
    what: (label: string) => ` the text of “${label}”`,
  },
  wallets: {
    label: 'Wallets',
    noScript: 'Wallets need JavaScript, which is off in this browser.',
    apps: {
      open: 'Open this page in your wallet app.',
      openToSignIn: 'Open this page in your wallet app, and sign in there:',
      signInFirst:
        'There you sign in first: with your e-mail address, by pasting the link of our mail in the browser of the app. Then you link the wallet.',
      label: 'Wallet apps',
      other: 'Use another wallet app',
      copyAddress: 'Copy the address of this page, and paste it in the browser of your wallet app.',
      address: 'Address of this page',
    },
  },
  /** The pages of errors, by status. */
  errors: {
    label: (status: number) => `Error ${status}`,
    start: 'Start page',
    toForm: 'Back to the form',
    request: 'Number of this request:',
    titles: {
      403: 'Not allowed',
      404: 'Page not found',
      405: 'This page cannot be opened',
      409: 'This is not possible',
      429: 'Too many attempts',
      500: 'Something went wrong',
      503: 'Please try again',
      other: 'That did not work',
    },
    advice: {
      403: 'If you have another account that may do this, sign out and sign in with it.',
      404: 'Check the link for a typing error. What was here may also have been removed.',
      405: 'This link submits a form. Open the form instead.',
      409: 'Nothing was changed. Go back and look at the present state.',
      429: 'This last attempt has changed nothing. Wait a minute, then try again.',
      500: 'Try again in a minute. If it happens again, tell us the number below.',
      503: 'Wait a minute, then try again. If it happens again, tell us the number below.',
      other: 'Nothing was changed. Go back, check what you entered, and try again.',
    },
  },
  content: {
    title: 'Your files',
    phrase: 'Secret phrase',
    showPhrase: 'Show the secret phrase',
    codes: 'Your codes',
    showCodes: (count: number, shown: string) =>
      count === 1 ? 'Show the code' : `Show ${shown} codes`,
    code: (number: number) => `Code ${number}`,
    asQr: 'Show as a QR code',
    missingCodes: (count: number, shown: string) =>
      count === 1
        ? 'One code is missing. It appears here as soon as it is there.'
        : `${shown} codes are missing. They appear here as soon as they are there.`,
    codeForOwners: 'A code for each piece',
    download: 'Download',
    forOwners: (count: number, shown: string) =>
      count === 1 ? '1 file for owners' : `${shown} files for owners`,
    toNft: 'Back to the NFT',
    asHolder: 'Do you hold the token? Show your files',
  },
  receipt: { seller: 'Sold by' },
  forFew: {
    title: 'For sellers and developers',
    lead: 'What you sell, and what your programs need, has pages of its own.',
  },
  cover: {
    none: 'No picture',
    drawn: 'This NFT has no picture. The drawing only stands in for one.',
  },
  buy: {
    at: (host: Child): Child[] => ['Buy at ', host],
    hint: 'You pay in the shop of the seller. Then the NFT is sent to your wallet.',
    noShop: 'The seller has not told us where it can be bought.',
  },
  orders: {
    title: 'Orders',
    bought: 'Bought',
    sold: 'Sold',
    newest: 'Newest orders',
    older: 'Older orders',
    noneBought:
      'You have not bought anything yet. What you buy in a shop of this marketplace appears here.',
    noneSold: 'You have not sold anything yet.',
    noMore: 'There are no more orders.',
    onTheirWay: (count: number, shown: string) =>
      count === 1 ? '1 NFT is on its way.' : `${shown} NFTs are on their way.`,
    waitForWallet: (count: number, shown: string) =>
      count === 1
        ? '1 NFT waits until you link a wallet.'
        : `${shown} NFTs wait until you link a wallet.`,
    toReceive: (link: Child): Child[] => [link, ' to receive this.'],
    noWalletOfBuyer: 'The buyer has not linked a wallet yet.',
    pieces: (count: number, shown: string) => (count === 1 ? '1 piece' : `${shown} pieces`),
    order: (number: Child): Child[] => ['Order ', number],
    buyer: (name: Child): Child[] => ['Buyer: ', name],
    user: (id: number) => `user ${id}`,
    transaction: 'Transaction',
    shop: 'Your shop',
    ordered: 'Ordered',
    price: 'Price',
    tax: 'Tax in it',
    discount: 'Discount',
    invoice: 'Invoice',
    wallet: 'Wallet',
    none: 'None yet',
    contract: 'Contract',
    network: 'Network',
    tokenId: 'Token id',
    billing: 'Billing address',
    addToWallet: 'Add to wallet',
    cancelled: 'The delivery was cancelled.',
    askShop: (number: string) =>
      `Ask the shop where you have bought it, and name order ${number}: it decides whether it is sent again or paid back.`,
    askOperator: (number: string) =>
      `Ask the operator of the marketplace, and name order ${number}.`,
    technicalReason: 'Technical reason',
    /** What a buyer is told of a delivery that waits or has failed, by who can end that. */
    waitsBecause: {
      seller: 'The seller has to do something first.',
      buyer: 'Your wallet cannot receive it as it is.',
      network: 'The network is slow, or does not answer.',
      operator: 'The marketplace has to correct something first. You need not do anything.',
    },
    deliveryFailed: 'The delivery failed.',
    failedBecause: {
      seller: 'The seller has not made it possible in time.',
      buyer: 'Your wallet cannot receive it: link another one, then have it sent again.',
      network: 'The network has not told whether it arrived.',
      operator: 'It was not possible for a technical reason.',
    },
    triedUntilItWorks: 'It is tried until it works.',
    failsSoon: 'If nothing changes, the delivery fails soon.',
    failsAt: (time: Child): Child[] => ['If nothing changes, the delivery fails ', time, '.'],
    mintNotAllowed: (contract: Child): Child[] => [
      'You have not allowed minting of ',
      contract,
      '.',
    ],
    deliveryNotAllowed: (contract: Child): Child[] => [
      'You have not allowed delivery of ',
      contract,
      '.',
    ],
    allow: 'Allow it',
  },
  /** The page where the link of an order leads. */
  claim: {
    title: (number: string) => `Receive order ${number}`,
    belongsTo: (owner: Child): Child[] => ['This order belongs to ', owner, '.'],
    confirmEmail: 'Confirm your e-mail address',
    toEmail: (email: Child): Child[] => [
      'This order was sent to ',
      email,
      ': we send a link there, which leads back here.',
    ],
    thenWallet: 'Then you connect a wallet, and what you bought is sent there.',
    isClaimed: 'It does not wait for a wallet any more: sign in to see its delivery.',
    signIn: 'Sign in with the wallet that you gave to the shop to see this order.',
    connectWallet: 'Connect a wallet',
    toWallet: 'Sign a message with it, which costs nothing. Then what you bought is sent there.',
    noWallet: 'I have no wallet',
    whatIsWallet:
      'A wallet is an app, or an extension of your browser, that keeps what you buy here. It is free and shows you some secret words: keep them on paper, because whoever knows them owns what is in the wallet.',
  },
  /** A wallet that is on the phone of a buyer. */
  phone: {
    onPhone: 'My wallet is on my phone',
    scan: 'Scan this code with your phone',
    how: 'Use the scanner of your wallet app, or the camera. The code works for 10 minutes and signs nobody in.',
    code: 'Code to scan with your phone',
    noCamera: 'Without a camera',
    address: 'Open this address on your phone',
    newCode: 'Show a new code',
    back: 'Back',
    ended: 'This code no longer works',
    askNew: 'Show a new one in the browser where you have signed in.',
    hasAccount: 'This wallet already has an account',
    useAccount:
      'Open the link from the mail about your order on the phone with this wallet, and sign in with the wallet there.',
    isYours: 'Is this your wallet?',
    compare:
      'Your phone has proved this wallet. If your wallet shows the same address, confirm it: what you bought is sent there.',
    confirm: 'Yes, link this wallet',
    title: 'Connect the wallet of this phone',
    start: 'You have scanned the code of an order. Go on, and sign a message with your wallet.',
    goOn: 'Go on',
    onlyYours: 'Did somebody else show or send you this code? Then close this page.',
    toAccount: (email: Child): Child[] => ['Your wallet is linked to the account ', email, '.'],
    openInApp:
      'No wallet here? Scan the code with your wallet app, or paste this address in the browser of the app.',
    nowConfirm: 'Now confirm it',
    whereToConfirm:
      'Look at the browser that shows the code. It asks whether this wallet is yours:',
  },
  steps: {
    label: 'Progress',
    paid: 'Paid',
    sent: 'Sent',
    delivered: 'Delivered',
    notDelivered: 'Not delivered',
    cancelled: 'Cancelled',
    needsWallet: 'Needs a wallet',
    onItsWay: 'On its way',
    beingSent: 'Being sent',
    beingCancelled: 'Being cancelled',
    /** Who or what can end a wait. */
    waiting: {
      seller: 'Waiting for the seller',
      buyer: 'Waiting for your wallet',
      network: 'Waiting for the network',
      operator: 'Waiting for the marketplace',
    },
    waitingAsSeller: {
      seller: 'Waiting for you',
      buyer: 'Waiting for the buyer’s wallet',
    },
    /** Said to screen readers after each step. */
    spoken: {
      done: 'done',
      current: 'under way',
      held: 'held up',
      waits: 'not yet',
      failed: 'failed',
    },
  },
  collection: {
    title: 'Collection',
    lead: 'What was delivered to you, also if you have given it away since.',
    none: 'Nothing was delivered to you yet.',
    noneHere: 'There are no NFTs on this page.',
    newest: 'Newest NFTs',
    older: 'Older NFTs',
  },
  home: {
    title: 'Digital collectibles',
    headline: 'Digital collectibles, delivered to your wallet',
    description: 'Creators release NFTs here, and shops sell them.',
    howItWorks:
      'After you have paid in a shop, the NFT is transferred to your wallet exactly once, and you can follow it on the way.',
    seeNfts: 'See the NFTs',
    yourOrders: 'Your orders',
    unique: 'Unique',
    limited: 'Limited',
    unlimited: 'Open editions',
    releases: 'Recent releases',
    seeAll: 'See all',
    creators: 'Creators',
  },
  nfts: {
    description: 'All digital collectibles here.',
    words: 'Words of the title',
    notWords: 'Use at most 255 characters, which can all be read.',
    sortBy: 'Sort by',
    sorts: { newest: 'Newest', price: 'Lowest price', title: 'Title' },
    edition: 'Edition',
    editions: { all: 'All', unique: 'Unique', limited: 'Limited', unlimited: 'Open edition' },
    editionOf: (shown: string) => `Edition of ${shown}`,
    show: 'Show',
    all: 'All NFTs',
    forSale: 'For sale',
    search: 'Search',
    results: 'Results',
    by: (person: Child): Child[] => ['By ', person],
    editionBy: (edition: string, person: string) => `${edition} by ${person}`,
    somebody: 'Somebody without a name',
    allCreators: 'All creators',
    count: (count: number, shown: string) => (count === 1 ? '1 NFT' : `${shown} NFTs`),
    latest: (count: string, time: Child): Child[] => [count, ', the latest ', time],
    released: (person: string, count: string) => `${person} has released ${count} here.`,
    searchIn: 'Search in these NFTs',
    newest: 'First page',
    older: 'Next page',
    noneFits: 'No NFT fits.',
    seeAll: 'See all NFTs',
    none: 'Nothing is released yet.',
    seeHow: 'See how shops sell here',
    byAuction: 'By auction only',
    soldOut: 'Sold out',
    notForSale: 'Not for sale',
    left: (count: number, shown: string) => (count === 1 ? '1 left' : `${shown} left`),
    more: (host: string) => `More at ${host}`,
    sellers: 'Where it is sold',
    nobodySells: 'Nobody sells it at the moment.',
    seeForSale: 'See what is for sale',
    attributes: 'Attributes',
    value: 'Value',
    token: 'Token',
    collection: 'Collection',
    notMinted: 'Not minted yet',
    report: {
      title: 'This is not theirs',
      lead: 'Is this the work of somebody else? Tell us. Only we read it.',
      text: 'What is wrong?',
      submit: 'Report',
      reported: 'Thank you. We will look at it.',
    },
  },
  profile: {
    lead: 'Others see this beside the NFTs that you create and sell.',
    picture: 'Picture',
    file: 'Picture file',
    drop: 'You can also drop a file here.',
    formats: (limit: string) => `JPEG, PNG, GIF or WebP, at most ${limit}.`,
    upload: 'Upload',
    cropped: 'Your picture, as it is cropped',
    zoom: 'Zoom',
    x: 'Horizontal position',
    y: 'Vertical position',
    crop: 'Drag the picture, or use the sliders.',
    savePicture: 'Save picture',
    url: 'URL of a picture',
    use: 'Use picture',
    names: 'Names',
    name: 'Name',
    username: 'User name',
    usernameHint: '3 to 30 characters: a to z, 0 to 9 and _, a letter first.',
    save: 'Save',
    language: 'Language of pages and mails',
    notices: {
      'profile-saved': 'Your names are saved.',
      'picture-saved': 'Your new picture is saved.',
      dismissed: 'You are no administrator any more.',
    },
  },
  addresses: {
    add: 'Add',
    delivery: {
      title: 'Delivery addresses',
      none: 'You have no delivery address yet.',
      add: ' a delivery address',
      create: 'New delivery address',
      edit: 'Edit delivery address',
      useAsDefault: 'Use as the default delivery address',
    },
    billing: {
      title: 'Billing addresses',
      none: 'You have no billing address yet.',
      add: ' a billing address',
      create: 'New billing address',
      edit: 'Edit billing address',
      useAsDefault: 'Use as the default billing address',
    },
    default: 'Default',
    makeDefault: 'Make default',
    edit: 'Edit',
    remove: 'Delete',
    removed: 'The address is deleted.',
    undo: 'Undo',
    taxNumber: (id: string) => `Tax id ${id}`,
    empty: 'Empty address',
    fields: {
      name: 'Full name',
      companyName: 'Company',
      street: 'Street and house number',
      postal: 'Postal code',
      city: 'City',
      country: 'Country',
      taxId: 'Tax id',
      email: 'E-mail address',
      mobilePhone: 'Phone',
    },
    optional: (label: string) => `${label} (optional)`,
    save: 'Save',
    submit: 'Add address',
    notices: {
      'address-added': 'The address is added.',
      'address-saved': 'The address is saved.',
      'address-restored': 'The address is back.',
      'default-changed': 'The default address is changed.',
    },
  },
  sessions: {
    lead: 'The browsers in which you are signed in. End those that you do not know or no longer use.',
    yours: 'Your sessions',
    toEndOthers: 'end other sessions',
    endOthers: 'End all other sessions',
    unknownBrowser: 'Unknown browser',
    unknownCountry: 'Unknown country',
    tor: 'Tor network',
    thisBrowser: 'This browser',
    signedIn: 'Signed in',
    activeNow: 'Active now',
    used: 'Used',
    usedLately: 'Used in the last hour',
    end: 'End',
    endOf: (browser: string) => ` the session of ${browser}`,
    notices: {
      'session-ended': 'The session is ended.',
      'sessions-ended': 'All other sessions are ended.',
    },
  },
  selling: {
    lead: (wallet: Child): Child[] => [
      'Paid orders are transferred from your ',
      wallet,
      ', or minted, by the delivery contract of this marketplace. Allow it once for each of your contracts.',
    ],
    linkedWallet: 'linked wallet',
    contracts: 'Contracts',
    none: 'You sell nothing yet.',
    permissions: {
      allowed: 'allowed',
      missing: 'missing',
      not_needed: 'not needed',
      unknown: 'unknown',
    },
    minted: 'Minted on delivery',
    heldByMarketplace: 'Held by the marketplace',
    notKnown: (reason: Child): Child[] => ['Not known: ', reason, '. Load this page again.'],
    linkIt: (link: Child): Child[] => [link, ' that holds the tokens of this contract.'],
    linkTheWallet: 'Link the wallet',
    notDelivered: (reason: string) => `Cannot be delivered: ${reason}.`,
    allowMinting: 'Allow minting',
    allowDelivery: 'Allow delivery',
    nextTry: (time: Child): Child[] => ['NFTs wait for this. Next try: ', time, '.'],
    tryNow: 'Try now',
    listings: 'Listings',
    noListings: 'You have no listings yet.',
    noMore: 'There are no more listings.',
    counted: (shown: string) => `Sold and waiting pieces are those of your newest ${shown} orders.`,
    newest: 'Newest listings',
    older: 'Older listings',
    change: 'Change',
    changeListing: 'Change a listing',
    inNfts: 'See it in your NFTs',
    auction: 'Auction, takes no orders',
    inactive: 'Not active',
    notSold: (reason: string) => `Not sold: ${reason}`,
    listing: (id: Child): Child[] => ['Listing ', id],
    noLimit: 'No limit',
    sold: (shown: string) => `${shown} sold`,
    waiting: (shown: string) => `${shown} waiting`,
    downloads: (shown: string) => `${shown} downloads in 90 days`,
    notices: {
      'listing-changed': 'The listing is changed.',
      'sold-retried': 'The contract is allowed. What waited for it is tried now.',
    },
  },
  /** The pages on which people list NFTs by themselves. */
  create: {
    title: 'Your NFTs',
    lead: 'What you list here is sold in the shops of this marketplace, and sent to its buyers from your wallet.',
    why: {
      off: 'Only the operator lists NFTs here.',
      invited: 'Ask the operator to approve you: then you can list NFTs here.',
    },
    new: 'List an NFT',
    none: 'You have not listed anything yet.',
    noMore: 'There are no more NFTs.',
    newest: 'Newest NFTs',
    older: 'Older NFTs',
    states: {
      draft: 'Draft',
      in_review: 'In review',
      released: 'On sale',
      rejected: 'Rejected',
      withdrawn: 'Withdrawn',
    },
    rejected: (reason: Child): Child[] => ['It was rejected: ', reason],
    changes: {
      draft: 'What you have changed is a draft. Publish it to have it reviewed.',
      in_review: 'What you have changed is in review. Until then, the former version is on sale.',
      rejected: (reason: Child): Child[] => ['What you have changed was rejected: ', reason],
    },
    shopLink: {
      draft: 'The link to the shop is a draft.',
      in_review: 'The link to the shop is in review.',
      rejected: (reason: Child): Child[] => ['The link to the shop was rejected: ', reason],
    },
    contractHint: 'The address of the token contract, 0x and 40 digits.',
    ids: 'Token ids',
    idsHint: (most: number) =>
      `As in 7 or 1-20, at most ${most}. Empty: what the contract lists of your wallet, if it does.`,
    delivery: 'Delivery',
    fulfilments: { transfer: 'From my wallet', mint: 'Minted on delivery, with one id' },
    next: 'Next',
    choose: 'Choose a token',
    askAgain: 'Look for others',
    notTold: 'The network does not answer. Try again in a minute.',
    notListed: (reason: string) => `These tokens cannot be listed: ${reason}.`,
    holdsNone: 'Your wallet holds none of these tokens.',
    listsNone: 'This contract does not list the tokens of a wallet. Enter their ids.',
    mostShown: (most: number) => `At most ${most} are shown. Enter ids to see others.`,
    held: (shown: string) => `Your wallet holds ${shown}.`,
    fields: {
      title: 'Title',
      text: 'Text',
      link: 'Link',
      linkHint: 'Where people read more: an https URL.',
      image: 'URL of the picture',
      imageHint: 'Begins with https:// or ipfs://.',
      phrase: 'Secret phrase',
      phraseHint: 'Only a buyer sees it, once the NFT is delivered.',
      shopUrl: 'Where it is bought',
      shopHint: 'The page of your shop: an https URL.',
    },
    isReviewed: 'The operator looks at what people see of it before it is on sale.',
    saveDraft: 'Save as a draft',
    publish: 'Publish',
    notAllowed: (link: Child): Child[] => ['Buyers get it once you allow that: ', link],
    preview: 'Preview',
    isPreview: 'Buyers see it like this once it is on sale.',
    pictureLater: 'The drawing stands in for its picture until it is on sale.',
    back: 'Back to the form',
    see: 'See its page',
    withdraw: {
      button: 'Withdraw',
      ask: 'Withdraw this NFT?',
      what: 'It is sold no more, and this cannot be undone. What is paid is delivered. You can list the token again.',
    },
    notices: { saved: 'It is saved.', withdrawn: 'The NFT is withdrawn.' },
  },
  /** Forms that change NFTs and listings. */
  recordForm: {
    active: 'Orders are accepted',
    price: (currency: string) => `Price of a piece in ${currency}`,
    ofPiece: 'Price of a piece',
    currency: 'Currency',
    currencyHint: 'As in EUR or USD.',
    perOrder: 'Most pieces of one order',
    noLimit: 'Empty: no limit.',
    activeTill: 'End (UTC)',
    noEnd: 'Empty: it does not end.',
    amount: 'Pieces for sale, sold ones included',
    asked: (now: string, entered: string) => `Is ${now}, and would be ${entered}.`,
    isRight: 'This price is right',
    save: 'Save',
  },
  unsubscribe: {
    title: 'Mails about orders',
    done: 'No more of them are sent to this address.',
    undone: 'They are sent to this address again.',
    undo: 'Send me mails about orders again',
    on: 'You get mails about your orders.',
    off: 'You get no mails about your orders.',
    others: 'Mails about signing in and your account are still sent to this address.',
    submit: 'Send me no more mails about orders',
  },
  /** Mails to who lists something, when somebody has looked at it. */
  review: {
    approved: {
      subject: (title: string) => `${title} is approved`,
      lead: (title: string) => `What you have sent of ${title} was looked at, and is approved.`,
      note: 'We look again at changes of texts, pictures and links.',
    },
    rejected: {
      subject: (title: string) => `${title} is not approved`,
      lead: (title: string, reason: string) =>
        `What you have sent of ${title} was looked at, and is not approved: ${reason}`,
      note: 'What was on sale before is still on sale. You can change what you have sent, and send it again.',
    },
    button: 'See what you list',
  },
  /** Mails to the two addresses when an operator has corrected that of a guest. */
  correctedAddress: {
    before: {
      subject: 'Your address was removed from an order',
      lead: 'An order named this e-mail address by mistake. It no longer does, and you get no more mails about it.',
      button: 'Open the marketplace',
      note: 'You need not do anything. Links that we have sent you for it no longer work.',
    },
    after: {
      subject: 'Your order has your address now',
      lead: 'An order named another e-mail address by mistake. It has been corrected to this one. Sign in with it to see what you have bought and where it is sent.',
      button: 'See your orders',
      note: 'If you have bought nothing, ignore this mail.',
    },
  },
  mail: {
    quote: (title: string) => `“${title}”`,
    forOrder: (subject: string, order: string) => `${subject} (order ${order})`,
    ifNoButton: 'If the button does not work, open this address:',
    unsubscribe: 'No more mails about orders',
    'sign-in': {
      subject: 'Your sign-in link',
      lead: 'Open this link to sign in:',
      button: 'Sign in',
    },
    link: {
      subject: 'Confirm your e-mail address',
      lead: 'Open this link to add this e-mail address to your account:',
      button: 'Confirm',
    },
    linkNote:
      'The link works once and expires in 15 minutes. If you did not ask for it, ignore this mail. We never ask for a password.',
    account: {
      events: {
        'wallet-linked': {
          subject: 'A wallet was linked',
          lead: 'A wallet can now sign in to your account.',
        },
        'email-linked': {
          subject: 'An e-mail address was linked',
          lead: 'This e-mail address can now sign in to your account.',
        },
        'wallet-unlinked': {
          subject: 'A wallet was unlinked',
          lead: 'Your wallet can no longer sign in to your account. Sign in with this e-mail address.',
        },
        'email-unlinked': {
          subject: 'This e-mail address was unlinked',
          lead: 'This e-mail address can no longer sign in to your account: with it, you would open a new, empty one. Sign in with your wallet.',
        },
      },
      button: 'See your sessions',
      note: 'If this was not you, sign in, end all other sessions, and revoke the tokens that you do not know. If you cannot sign in, write to us.',
    },
    awaitingWallet: {
      subject: (title: string) => `Connect a wallet to receive ${title}`,
      lead: (title: string, order: string) =>
        `You have bought ${title} (order ${order}). Sign in with this e-mail address and connect a wallet: then it is sent there.`,
      button: 'Connect a wallet',
      note: 'If you have bought nothing, ignore this mail.',
    },
    reminder: {
      subject: (title: string) => `${title} waits for your wallet`,
      lead: (title: string, order: string, since: string) =>
        `${title} (order ${order}), which you have bought, has waited for your wallet since ${since}. Sign in with this e-mail address and connect a wallet: then it is sent there.`,
    },
    lastReminder: {
      subject: (title: string) => `Last reminder: ${title} waits for your wallet`,
      note: 'This is the last reminder. If you have bought nothing, ignore this mail.',
    },
    delivered: {
      subject: (title: string) => `${title} was delivered`,
      lead: (title: string, order: string, wallet: string) =>
        `${title} (order ${order}) is in your wallet ${wallet}.`,
      note: (txId: string) => `Transaction: ${txId}`,
    },
    failed: {
      subject: (title: string) => `${title} could not be delivered`,
      lead: (title: string, order: string) =>
        `The delivery of ${title} (order ${order}) has failed.`,
      note: 'The delivery may be tried again. You get a mail when it has arrived.',
    },
    approval: {
      subject: (title: string) => `Allow delivery of ${title}`,
      lead: (title: string, wallet: string, call: string, contract: string, network: string) =>
        `You have sold ${title}, but the marketplace may not transfer it from your wallet ${wallet}. With this wallet, call ${call} of the token contract ${contract} on ${network}.`,
      button: 'Allow delivery',
      note: 'What you have sold of this contract waits for it, and fails after 24 hours. We tell you once in 30 days.',
    },
    seeOrders: 'See your orders',
    seeOrder: 'See the order',
    summary: {
      subject: 'More news about your orders',
      lead: 'Besides the orders that we have written to you about, these have changed:',
      others: (shown: string) => `and ${shown} more`,
      note: 'We write at most three mails a day about the orders of a seller, and one like this.',
      states: {
        'order.awaiting_wallet': 'waits for your wallet',
        'order.delivered': 'was delivered',
        'order.failed': 'could not be delivered',
      },
    },
  },
}

/**
 * What the scripts in `pages/assets/` say on pages in these languages. What is in braces is replaced.
 */
export const scriptTexts = [
  'Copied.',
  'Your browser blocked this. Copy the selected text yourself.',
  'Uploading…',
  'Uploading: {percent} %',
  'Converting…',
  'Downloading…',
  'Looking for wallets…',
  'No wallet was found in this browser. Install one, or unlock it, and reload this page.',
  'Browser wallet',
  'Waiting for {name}…',
  'Done.',
  '{label} with {name}',
  'This site did not answer: check your connection, then try again.',
  'Something went wrong on our side: try again in a minute.',
  'You declined the request in your wallet.',
  'Your wallet does not let this site use the account. Allow it in the wallet, then try again.',
  'Your wallet cannot do this. Try another wallet.',
  'Your wallet is not connected to any network. Check your connection, then try again.',
  'Your wallet is not connected to this network. Check your connection, then try again.',
  'Open your wallet: a request is waiting there.',
  'Your wallet did not answer as expected. Unlock it, reload this page, and try again.',
  'Your wallet shares no account: unlock it, then try again.',
  'Your wallet uses another account: choose {address} in it.',
  'Your wallet does not know the network “{name}”: add it in your wallet (chain id {chainId}), then try again.',
  'Your wallet did not add the token: add it there yourself, with the contract and the token id of this page.',
  'This page no longer updates, because you are signed out. Reload it.',
  'There is no connection. This page updates when it is back.',
] as const

/** Why a field is rejected: by what was entered, or by its name. */
type FieldProblems = {
  required: string
  invalid: string
  fields: Record<
    | 'activeTill'
    | 'amount'
    | 'avatar'
    | 'avatarUrl'
    | 'contract'
    | 'email'
    | 'ids'
    | 'image'
    | 'link'
    | 'perOrder'
    | 'priceCents'
    | 'priceCurrency'
    | 'priceEths'
    | 'shopUrl'
    | 'username',
    string
  >
}

/**
 * The codes of errors of which pages in these languages say more than `errors` says by the status: why forms, links
 * and scripts were refused.
 */
export const refusalCodes = [
  'amount_too_small',
  'conflict',
  'seller_not_approved',
  'not_delivered',
  'invalid_character',
  'unauthenticated',
  'account_closed',
  'wallet_taken',
  'email_taken',
  'username_taken',
  'already_linked',
  'not_linked',
  'only_sign_in',
  'transfers_under_way',
  'too_many_addresses',
  'payload_too_large',
  'unsupported_media_type',
  'range_not_satisfiable',
  'rate_limited',
  'not_a_creator',
  'wallet_required',
  'not_held',
  'mint_not_permitted',
  'not_deliverable',
  'withdrawn',
  'token_taken',
  'cannot_change',
  'network_not_found',
  'nft_not_found',
] as const

/** What English has elsewhere: in messages of the API, in the scripts, and in `delivery/reasons.ts`. */
type Translated = {
  problems: FieldProblems
  /** Why something was refused, by the code of the error. */
  refusals: Record<(typeof refusalCodes)[number], string>
  scripts: Record<(typeof scriptTexts)[number], string>
  reasons: Record<ReasonCode, string>
}
export type Texts = typeof en & Partial<Translated>
export type Translation = typeof en & Translated
