/** The German texts, with „Sie“. */
import type { Translation } from './en.ts'

export const de: Translation = {
  layout: {
    skip: 'Zum Inhalt springen',
    main: 'Hauptmenü',
    nfts: 'NFTs',
    api: 'API',
    apiReference: 'API-Referenz',
    language: 'Sprache',
    imprint: 'Impressum',
    terms: 'AGB',
    privacy: 'Datenschutz',
    questions: 'Fragen',
    menuOf: (name) => `Menü von ${name}`,
    yourAccount: 'Ihr Konto',
    operations: 'Betrieb',
    signOut: 'Abmelden',
    cancel: 'Abbrechen',
  },
  settings: {
    title: 'Einstellungen',
    profile: 'Profil',
    addresses: 'Adressen',
    account: 'Konto',
    selling: 'Verkauf',
    sessions: 'Sitzungen',
    'api-access': 'API-Zugang',
    webhooks: 'Webhooks',
    tooOld: (toDo) =>
      `Ihre Anmeldung ist mehr als 10 Minuten her. Melden Sie sich erneut an, um ${toDo}.`,
  },
  time: { now: 'gerade eben', soon: 'gleich' },
  signIn: {
    title: 'Anmelden',
    notices: {
      'signed-out': 'Sie sind abgemeldet.',
      required: 'Melden Sie sich an, um diese Seite zu öffnen.',
      'not-saved':
        'Ihre Sitzung ist beendet, daher wurde nichts gespeichert. Melden Sie sich an und geben Sie es erneut ein.',
    },
    toAccount: (host) => `bei Ihrem Konto auf ${host}`,
    toOther: (host) => `und weiter zu ${host}`,
    email: 'E-Mail-Adresse',
    send: 'Link zusenden',
    hint: 'Sie brauchen kein Passwort. Der Link meldet Sie an und gilt 15 Minuten.',
    or: 'oder',
    orWallet: 'oder mit einer Wallet',
    notAnAddress: 'Das ist keine E-Mail-Adresse.',
    notHuman: 'Bestätigen Sie, dass Sie ein Mensch sind, und senden Sie das Formular erneut.',
    again: {
      title: 'Erneut anmelden',
      lead: 'Für diesen Schritt muss Ihre Anmeldung jünger als 10 Minuten sein.',
      byEmail: (email) => [
        'Wir senden einen Link an ',
        email,
        '. Öffnen Sie ihn in diesem Browser.',
      ],
      byWallet: (address) => ['Unterschreiben Sie mit Ihrer Wallet ', address],
    },
    sent: {
      title: 'Sehen Sie in Ihrem Postfach nach',
      another: 'Ein weiterer Link ist unterwegs.',
      scarce:
        'Es wurden so viele Links versandt, dass nur Adressen mit einem Konto einen erhalten, solange der Vorrat reicht. Wenn keiner ankommt, versuchen Sie es in einer Stunde erneut, oder melden Sie sich mit einer Wallet an.',
      to: (mailbox) => ['Ein Link ist unterwegs an ', mailbox, '.'],
      yourMailbox: 'Ihr Postfach',
      here: 'Er funktioniert einmal und gilt 15 Minuten. Öffnen Sie ihn in diesem Browser.',
      anywhere: 'Er funktioniert einmal, gilt 15 Minuten und lässt sich auf jedem Gerät öffnen.',
      sendAnother: 'Weiteren Link senden',
      back: 'Zurück zur Anmeldung',
      otherAddress: 'Andere Adresse verwenden',
      hint: 'Keine E-Mail erhalten? Sehen Sie im Spam-Ordner nach. Ihre letzten drei Links funktionieren. Wir senden höchstens sechs Links in 15 Minuten an ein Postfach.',
    },
    confirm: {
      as: (email) => ['als ', email],
      endsOther: (name) =>
        `Sie sind als ${name} angemeldet. Diese Sitzung wird in diesem Browser beendet.`,
      hint: 'Nicht Ihre Adresse, oder nicht von Ihnen angefordert? Schließen Sie diese Seite. Es ändert sich nichts.',
    },
  },
  brokenLink: {
    cut: 'Dieser Link ist nicht vollständig',
    ended: 'Dieser Link funktioniert nicht mehr',
    whyCut:
      'Ein Teil davon fehlt. E-Mail-Programme brechen lange Links manchmal in zwei Zeilen um: Kopieren Sie den ganzen Link aus der E-Mail, oder fordern Sie einen neuen an.',
    oneOf: 'Einer dieser Gründe trifft zu:',
    used: 'Er wurde verwendet. Jeder Link meldet nur einmal an.',
    usedToLink: 'Er wurde verwendet. Dann ist die E-Mail-Adresse verknüpft.',
    tooOld: 'Er ist älter als 15 Minuten.',
    newer: 'Sie haben drei neuere Links angefordert. Öffnen Sie den letzten.',
    otherAccount: 'Sie haben ihn in einem anderen Konto angefordert.',
    signedInAs: (name) => `Sie sind als ${name} angemeldet.`,
    toOrders: 'Zu Ihren Bestellungen',
    sendNew: 'Neuen Link zusenden',
    toAccount: 'Zum Konto',
    hint: 'Dort sehen Sie, ob die Adresse verknüpft ist, und können einen neuen Link anfordern.',
  },
  account: {
    lead: 'Sie können sich mit einer verknüpften Wallet oder E-Mail-Adresse anmelden.',
    methods: 'Ihre Anmeldewege',
    userId: (id) => `Ihre Benutzernummer lautet ${id}.`,
    toUnlink: 'eine davon zu trennen',
    unlink: 'Trennen',
    cannotSignIn: 'Sie können sich danach nicht mehr damit bei diesem Konto anmelden.',
    email: {
      subject: '(die E-Mail-Adresse)',
      ask: 'Diese E-Mail-Adresse trennen?',
      unlink: 'E-Mail-Adresse trennen',
    },
    wallet: {
      subject: '(die Wallet)',
      ask: 'Diese Wallet trennen?',
      unlink: 'Wallet trennen',
    },
    waitsForNext:
      'Was Sie gekauft haben und was noch nicht versandt ist, wartet auf Ihre nächste Wallet.',
    linkWallet: 'Wallet verknüpfen',
    noWallet:
      'Es ist keine Wallet verknüpft. Sobald Sie eine verknüpfen, werden Ihnen die gekauften NFTs zugesandt.',
    toLinkWallet: 'eine Wallet zu verknüpfen',
    addEmail: 'E-Mail-Adresse hinzufügen',
    whyEmail:
      'Damit können Sie sich ohne Ihre Wallet anmelden, und wir teilen Ihnen mit, was sich hier ändert.',
    toAddEmail: 'eine E-Mail-Adresse hinzuzufügen',
    emailToAdd: 'Neue Adresse',
    confirm: 'E-Mail-Adresse bestätigen',
    afterConfirm: (email) => [
      'Nach der Bestätigung können Sie sich mit ',
      email,
      ' bei diesem Konto anmelden.',
    ],
    confirmNow: 'Bestätigen',
    notNow: 'Nicht jetzt',
    notices: {
      'wallet-linked': 'Die Wallet ist verknüpft.',
      'email-linked': 'Die E-Mail-Adresse ist verknüpft.',
      'wallet-unlinked':
        'Die Wallet ist getrennt. Sitzungen, die sie begonnen hat, laufen weiter: Beenden Sie die, die nicht Ihre sind.',
      'email-unlinked':
        'Die E-Mail-Adresse ist getrennt. Sitzungen, die sie begonnen hat, laufen weiter: Beenden Sie die, die nicht Ihre sind.',
      'link-sent':
        'Ein Link ist an diese Adresse unterwegs. Öffnen Sie ihn in diesem Browser. Kommt keiner an, versuchen Sie es in 15 Minuten erneut.',
    },
  },
  copy: {
    button: 'Kopieren',
    what: (label: string) => `: der Text von „${label}“`,
  },
  wallets: {
    label: 'Wallets',
    noScript: 'Wallets brauchen JavaScript, das in diesem Browser ausgeschaltet ist.',
    apps: {
      open: 'Öffnen Sie diese Seite in Ihrer Wallet-App.',
      openToSignIn: 'Öffnen Sie diese Seite in Ihrer Wallet-App, und melden Sie sich dort an:',
      signInFirst:
        'Melden Sie sich dort zuerst mit Ihrer E-Mail-Adresse an: Fügen Sie dazu den Link aus unserer E-Mail im Browser der App ein. Verknüpfen Sie danach die Wallet.',
      label: 'Wallet-Apps',
      other: 'Eine andere Wallet-App verwenden',
      copyAddress:
        'Kopieren Sie die Adresse dieser Seite, und fügen Sie sie im Browser Ihrer Wallet-App ein.',
      address: 'Adresse dieser Seite',
    },
  },
  errors: {
    label: (status) => `Fehler ${status}`,
    start: 'Startseite',
    toForm: 'Zurück zum Formular',
    request: 'Nummer dieser Anfrage:',
    titles: {
      403: 'Nicht erlaubt',
      404: 'Seite nicht gefunden',
      405: 'Diese Seite lässt sich nicht öffnen',
      409: 'Das ist nicht möglich',
      429: 'Zu viele Versuche',
      500: 'Etwas ist schiefgegangen',
      503: 'Bitte versuchen Sie es erneut',
      other: 'Das hat nicht funktioniert',
    },
    advice: {
      403: 'Wenn Sie ein anderes Konto haben, das dies darf, melden Sie sich ab und mit diesem Konto wieder an.',
      404: 'Prüfen Sie den Link auf Tippfehler. Vielleicht wurde auch entfernt, was hier war.',
      405: 'Dieser Link sendet ein Formular ab. Öffnen Sie stattdessen das Formular.',
      409: 'Es wurde nichts geändert. Gehen Sie zurück und prüfen Sie den aktuellen Stand.',
      429: 'Der letzte Versuch hat nichts geändert. Warten Sie eine Minute, und versuchen Sie es dann erneut.',
      500: 'Versuchen Sie es in einer Minute erneut. Wenn es wieder geschieht, nennen Sie uns die Nummer unten.',
      503: 'Warten Sie eine Minute, und versuchen Sie es dann erneut. Wenn es wieder geschieht, nennen Sie uns die Nummer unten.',
      other:
        'Es wurde nichts geändert. Gehen Sie zurück, prüfen Sie Ihre Eingaben, und versuchen Sie es erneut.',
    },
  },
  receipt: { seller: 'Verkauft von' },
  forFew: {
    title: 'Für Verkäufer und Entwickler',
    lead: 'Was Sie verkaufen und was Ihre Programme brauchen, hat eigene Seiten.',
  },
  cover: {
    none: 'Kein Bild',
    drawn: 'Dieses NFT hat kein Bild. Die Zeichnung steht nur an seiner Stelle.',
  },
  buy: {
    at: (host) => ['Kaufen bei ', host],
    hint: 'Sie bezahlen im Shop des Verkäufers. Danach wird das NFT an Ihre Wallet gesendet.',
    noShop: 'Der Verkäufer hat uns nicht mitgeteilt, wo es gekauft werden kann.',
  },
  orders: {
    title: 'Bestellungen',
    bought: 'Gekauft',
    sold: 'Verkauft',
    newest: 'Neueste Bestellungen',
    older: 'Ältere Bestellungen',
    noneBought:
      'Sie haben noch nichts gekauft. Was Sie in einem Shop dieses Marktplatzes kaufen, erscheint hier.',
    noneSold: 'Sie haben noch nichts verkauft.',
    noMore: 'Es gibt keine weiteren Bestellungen.',
    onTheirWay: (count, shown) =>
      count === 1 ? '1 NFT ist unterwegs.' : `${shown} NFTs sind unterwegs.`,
    waitForWallet: (count, shown) =>
      count === 1
        ? '1 NFT wartet, bis Sie eine Wallet verknüpfen.'
        : `${shown} NFTs warten, bis Sie eine Wallet verknüpfen.`,
    toReceive: (link) => ['Um dies zu erhalten: ', link, '.'],
    noWalletOfBuyer: 'Der Käufer hat noch keine Wallet verknüpft.',
    pieces: (count, shown) => (count === 1 ? '1 Stück' : `${shown} Stück`),
    order: (number) => ['Bestellung ', number],
    buyer: (name) => ['Käufer: ', name],
    user: (id) => `Benutzer ${id}`,
    transaction: 'Transaktion',
    shop: 'Ihr Shop',
    ordered: 'Bestellt',
    price: 'Preis',
    tax: 'Enthaltene Steuer',
    discount: 'Rabatt',
    invoice: 'Rechnung',
    wallet: 'Wallet',
    none: 'Noch keine',
    contract: 'Vertrag',
    network: 'Netzwerk',
    tokenId: 'Token-ID',
    billing: 'Rechnungsadresse',
    addToWallet: 'Zur Wallet hinzufügen',
    cancelled: 'Die Lieferung wurde storniert.',
    askShop: (number) =>
      `Wenden Sie sich an den Shop, in dem Sie gekauft haben, und nennen Sie die Bestellung ${number}: Er entscheidet, ob erneut gesendet oder erstattet wird.`,
    askOperator: (number) =>
      `Wenden Sie sich an den Betreiber des Marktplatzes und nennen Sie die Bestellung ${number}.`,
    technicalReason: 'Technischer Grund',
    waitsBecause: {
      seller: 'Zuerst muss der Verkäufer etwas tun.',
      buyer: 'So kann Ihre Wallet es nicht empfangen.',
      network: 'Das Netzwerk ist langsam oder antwortet nicht.',
      operator: 'Zuerst muss der Marktplatz etwas in Ordnung bringen. Sie müssen nichts tun.',
    },
    deliveryFailed: 'Die Lieferung ist fehlgeschlagen.',
    failedBecause: {
      seller: 'Der Verkäufer hat es nicht rechtzeitig ermöglicht.',
      buyer:
        'Ihre Wallet kann es nicht empfangen: Verknüpfen Sie eine andere und lassen Sie es dann erneut senden.',
      network: 'Das Netzwerk hat nicht mitgeteilt, ob es angekommen ist.',
      operator: 'Aus einem technischen Grund war es nicht möglich.',
    },
    triedUntilItWorks: 'Die Lieferung wird so lange versucht, bis sie gelingt.',
    failsSoon: 'Ändert sich nichts, schlägt die Lieferung bald fehl.',
    failsAt: (time) => ['Ändert sich nichts, schlägt die Lieferung ', time, ' fehl.'],
    mintNotAllowed: (contract) => ['Sie haben das Prägen von ', contract, ' nicht erlaubt.'],
    deliveryNotAllowed: (contract) => ['Sie haben die Lieferung von ', contract, ' nicht erlaubt.'],
    allow: 'Jetzt erlauben',
  },
  claim: {
    title: (number) => `Bestellung ${number} empfangen`,
    confirmEmail: 'Bestätigen Sie Ihre E-Mail-Adresse',
    toEmail: (email) => [
      'Diese Bestellung ging an ',
      email,
      ': Wir senden einen Link dorthin, der hierher zurückführt.',
    ],
    thenWallet:
      'Danach verbinden Sie eine Wallet, und was Sie gekauft haben, wird dorthin gesendet.',
    isClaimed:
      'Sie wartet nicht mehr auf eine Wallet: Melden Sie sich an, um die Lieferung zu sehen.',
    signIn:
      'Melden Sie sich mit der Wallet an, die Sie dem Shop genannt haben, um diese Bestellung zu sehen.',
    connectWallet: 'Verbinden Sie eine Wallet',
    toWallet:
      'Unterschreiben Sie damit eine Nachricht, was nichts kostet. Dann wird dorthin gesendet, was Sie gekauft haben.',
    noWallet: 'Ich habe keine Wallet',
    whatIsWallet:
      'Eine Wallet ist eine App oder eine Erweiterung Ihres Browsers, die aufbewahrt, was Sie hier kaufen. Sie ist kostenlos und zeigt Ihnen einige geheime Wörter: Bewahren Sie diese auf Papier auf, denn wer sie kennt, dem gehört der Inhalt der Wallet.',
  },
  phone: {
    onPhone: 'Meine Wallet ist auf meinem Smartphone',
    scan: 'Scannen Sie diesen Code mit Ihrem Smartphone',
    how: 'Nutzen Sie den Scanner Ihrer Wallet-App oder die Kamera. Der Code gilt 10 Minuten und meldet niemanden an.',
    code: 'Code zum Scannen mit dem Smartphone',
    noCamera: 'Ohne Kamera',
    address: 'Öffnen Sie diese Adresse auf Ihrem Smartphone',
    newCode: 'Neuen Code anzeigen',
    back: 'Zurück',
    ended: 'Dieser Code gilt nicht mehr',
    askNew: 'Lassen Sie sich in dem Browser, in dem Sie angemeldet sind, einen neuen anzeigen.',
    isYours: 'Ist das Ihre Wallet?',
    compare:
      'Ihr Smartphone hat diese Wallet nachgewiesen. Wenn Ihre Wallet dieselbe Adresse zeigt, bestätigen Sie sie: Was Sie gekauft haben, wird dorthin gesendet.',
    confirm: 'Ja, diese Wallet verknüpfen',
    title: 'Verbinden Sie die Wallet dieses Smartphones',
    start:
      'Sie haben den Code einer Bestellung gescannt. Fahren Sie fort und unterschreiben Sie eine Nachricht mit Ihrer Wallet.',
    goOn: 'Weiter',
    onlyYours:
      'Hat jemand anderes Ihnen diesen Code gezeigt oder gesendet? Dann schließen Sie diese Seite.',
    toAccount: (email) => ['Ihre Wallet wird mit dem Konto ', email, ' verknüpft.'],
    openInApp:
      'Keine Wallet hier? Scannen Sie den Code mit Ihrer Wallet-App, oder fügen Sie diese Adresse im Browser der App ein.',
    nowConfirm: 'Bestätigen Sie sie jetzt',
    whereToConfirm:
      'Sehen Sie in den Browser, der den Code zeigt. Er fragt, ob diese Wallet Ihre ist:',
  },
  steps: {
    label: 'Fortschritt',
    paid: 'Bezahlt',
    sent: 'Versandt',
    delivered: 'Geliefert',
    notDelivered: 'Nicht geliefert',
    cancelled: 'Storniert',
    needsWallet: 'Wallet fehlt',
    onItsWay: 'Unterwegs',
    beingSent: 'Wird versandt',
    beingCancelled: 'Wird storniert',
    waiting: {
      seller: 'Wartet auf den Verkäufer',
      buyer: 'Wartet auf Ihre Wallet',
      network: 'Wartet auf das Netzwerk',
      operator: 'Wartet auf den Marktplatz',
    },
    waitingAsSeller: {
      seller: 'Wartet auf Sie',
      buyer: 'Wartet auf die Wallet des Käufers',
    },
    spoken: {
      done: 'erledigt',
      current: 'läuft',
      held: 'verzögert',
      waits: 'noch nicht',
      failed: 'fehlgeschlagen',
    },
  },
  collection: {
    title: 'Sammlung',
    lead: 'Was Ihnen geliefert wurde, auch wenn Sie es inzwischen weitergegeben haben.',
    none: 'Ihnen wurde noch nichts geliefert.',
    noneHere: 'Auf dieser Seite sind keine NFTs.',
    newest: 'Neueste NFTs',
    older: 'Ältere NFTs',
  },
  home: {
    title: 'Digitale Sammlerstücke',
    headline: 'Digitale Sammlerstücke, geliefert in Ihre Wallet',
    description: 'Kreative veröffentlichen hier NFTs, und Shops verkaufen sie.',
    howItWorks:
      'Nachdem Sie in einem Shop bezahlt haben, wird das NFT genau einmal an Ihre Wallet übertragen, und Sie können seinen Weg verfolgen.',
    seeNfts: 'NFTs ansehen',
    yourOrders: 'Ihre Bestellungen',
    unique: 'Einzelstücke',
    limited: 'Limitiert',
    unlimited: 'Offene Auflagen',
    releases: 'Neu erschienen',
    seeAll: 'Alle ansehen',
    creators: 'Kreative',
  },
  nfts: {
    description: 'Alle digitalen Sammlerstücke auf diesem Marktplatz.',
    words: 'Wörter des Titels',
    sortBy: 'Sortieren nach',
    sorts: { newest: 'Neueste zuerst', price: 'Niedrigster Preis', title: 'Titel' },
    edition: 'Auflage',
    editions: {
      all: 'Alle',
      unique: 'Einzelstück',
      limited: 'Limitiert',
      unlimited: 'Offene Auflage',
    },
    editionOf: (shown) => `Auflage: ${shown} Stück`,
    show: 'Anzeigen',
    all: 'Alle NFTs',
    forSale: 'Zu kaufen',
    search: 'Suchen',
    results: 'Ergebnisse',
    by: (person) => ['Von ', person],
    editionBy: (edition, person) => `${edition} von ${person}`,
    somebody: 'Jemand ohne Namen',
    allCreators: 'Alle Kreativen',
    count: (count, shown) => (count === 1 ? '1 NFT' : `${shown} NFTs`),
    latest: (count, time) => [count, ', das neueste ', time],
    released: (person, count) => `${person} hat hier ${count} veröffentlicht.`,
    searchIn: 'In diesen NFTs suchen',
    newest: 'Erste Seite',
    older: 'Nächste Seite',
    noneFits: 'Kein NFT passt dazu.',
    seeAll: 'Alle NFTs ansehen',
    none: 'Es ist noch nichts erschienen.',
    seeHow: 'So verkaufen Shops hier',
    byAuction: 'Nur in einer Auktion',
    soldOut: 'Ausverkauft',
    notForSale: 'Nicht zu kaufen',
    left: (_count, shown) => `Noch ${shown} verfügbar`,
    more: (host) => `Mehr auf ${host}`,
    sellers: 'Wo es verkauft wird',
    nobodySells: 'Zurzeit verkauft es niemand.',
    seeForSale: 'Sehen, was zu kaufen ist',
    attributes: 'Eigenschaften',
    value: 'Wert',
    token: 'Token',
    collection: 'Kollektion',
    notMinted: 'Noch nicht geprägt',
  },
  unsubscribe: {
    title: 'E-Mails zu Bestellungen',
    done: 'An diese Adresse werden keine mehr gesendet.',
    undone: 'An diese Adresse werden wieder welche gesendet.',
    undo: 'Wieder E-Mails zu Bestellungen senden',
    on: 'Sie erhalten E-Mails zu Ihren Bestellungen.',
    off: 'Sie erhalten keine E-Mails zu Ihren Bestellungen.',
    others: 'E-Mails zur Anmeldung und zu Ihrem Konto werden weiterhin an diese Adresse gesendet.',
    submit: 'Keine E-Mails zu Bestellungen mehr senden',
  },
  correctedAddress: {
    before: {
      subject: 'Ihre Adresse wurde aus einer Bestellung entfernt',
      lead: 'Eine Bestellung nannte versehentlich diese E-Mail-Adresse. Das ist berichtigt: Sie erhalten keine weiteren Mails dazu.',
      button: 'Zum Marktplatz',
      note: 'Sie müssen nichts tun. Links, die wir Ihnen dazu geschickt haben, funktionieren nicht mehr.',
    },
    after: {
      subject: 'Ihre Bestellung hat jetzt Ihre Adresse',
      lead: 'Eine Bestellung nannte versehentlich eine andere E-Mail-Adresse. Sie wurde in diese berichtigt. Melden Sie sich damit an, um zu sehen, was Sie gekauft haben und wohin es geliefert wird.',
      button: 'Ihre Bestellungen ansehen',
      note: 'Wenn Sie nichts gekauft haben, ignorieren Sie diese Mail.',
    },
  },
  mail: {
    quote: (title) => `„${title}“`,
    forHost: (subject, host) => `${subject} für ${host}`,
    forOrder: (subject, order) => `${subject} (Bestellung ${order})`,
    ifNoButton: 'Wenn die Schaltfläche nicht funktioniert, öffnen Sie diese Adresse:',
    unsubscribe: 'Keine E-Mails zu Bestellungen mehr erhalten',
    'sign-in': {
      subject: 'Ihr Anmeldelink',
      lead: 'Öffnen Sie diesen Link, um sich anzumelden:',
      button: 'Anmelden',
    },
    link: {
      subject: 'Bestätigen Sie Ihre E-Mail-Adresse',
      lead: 'Öffnen Sie diesen Link, um diese E-Mail-Adresse Ihrem Konto hinzuzufügen:',
      button: 'Bestätigen',
    },
    linkNote:
      'Der Link funktioniert einmal und gilt 15 Minuten. Wenn Sie ihn nicht angefordert haben, ignorieren Sie diese E-Mail. Wir fragen nie nach einem Passwort.',
    account: {
      events: {
        'wallet-linked': {
          subject: 'Eine Wallet wurde verknüpft',
          lead: 'Eine Wallet kann sich jetzt bei Ihrem Konto anmelden.',
        },
        'email-linked': {
          subject: 'Eine E-Mail-Adresse wurde verknüpft',
          lead: 'Mit dieser E-Mail-Adresse können Sie sich jetzt bei Ihrem Konto anmelden.',
        },
        'wallet-unlinked': {
          subject: 'Die Verknüpfung einer Wallet wurde aufgehoben',
          lead: 'Ihre Wallet kann sich nicht mehr bei Ihrem Konto anmelden. Melden Sie sich mit dieser E-Mail-Adresse an.',
        },
        'email-unlinked': {
          subject: 'Die Verknüpfung dieser E-Mail-Adresse wurde aufgehoben',
          lead: 'Mit dieser E-Mail-Adresse können Sie sich nicht mehr bei Ihrem Konto anmelden: Sie würden ein neues, leeres öffnen. Melden Sie sich mit Ihrer Wallet an.',
        },
      },
      button: 'Ihre Sitzungen ansehen',
      note: 'Wenn Sie das nicht waren: Melden Sie sich an, beenden Sie alle anderen Sitzungen und widerrufen Sie die Tokens, die Sie nicht kennen. Wenn Sie sich nicht anmelden können, schreiben Sie uns.',
    },
    awaitingWallet: {
      subject: (title) => `Verknüpfen Sie eine Wallet, um ${title} zu erhalten`,
      lead: (title, order) =>
        `Sie haben ${title} gekauft (Bestellung ${order}). Melden Sie sich mit dieser E-Mail-Adresse an und verknüpfen Sie eine Wallet: Dann wird es dorthin gesendet.`,
      button: 'Wallet verknüpfen',
      note: 'Wenn Sie nichts gekauft haben, ignorieren Sie diese E-Mail.',
    },
    reminder: {
      subject: (title) => `${title} wartet auf Ihre Wallet`,
      lead: (title, order, since) =>
        `Sie haben ${title} gekauft (Bestellung ${order}). Seit dem ${since} wartet es auf Ihre Wallet. Melden Sie sich mit dieser E-Mail-Adresse an und verknüpfen Sie eine Wallet: Dann wird es dorthin gesendet.`,
    },
    lastReminder: {
      subject: (title) => `Letzte Erinnerung: ${title} wartet auf Ihre Wallet`,
      note: 'Dies ist die letzte Erinnerung. Wenn Sie nichts gekauft haben, ignorieren Sie diese E-Mail.',
    },
    delivered: {
      subject: (title) => `${title} wurde geliefert`,
      lead: (title, order, wallet) =>
        `${title} (Bestellung ${order}) ist in Ihrer Wallet ${wallet}.`,
      note: (txId) => `Transaktion: ${txId}`,
    },
    failed: {
      subject: (title) => `${title} konnte nicht geliefert werden`,
      lead: (title, order) =>
        `Die Lieferung von ${title} (Bestellung ${order}) ist fehlgeschlagen.`,
      note: 'Die Lieferung wird vielleicht erneut versucht. Sie erhalten eine E-Mail, wenn sie angekommen ist.',
    },
    approval: {
      subject: (title) => `Erlauben Sie die Lieferung von ${title}`,
      lead: (title, wallet, call, contract, network) =>
        `Sie haben ${title} verkauft, aber der Marktplatz darf es nicht aus Ihrer Wallet ${wallet} übertragen. Rufen Sie mit dieser Wallet die Funktion ${call} des Token-Vertrags ${contract} im Netzwerk ${network} auf.`,
      button: 'Lieferung erlauben',
      note: 'Was Sie von diesem Vertrag verkauft haben, wartet darauf. Nach 24 Stunden schlägt die Lieferung fehl. Wir schreiben Ihnen dazu höchstens einmal in 30 Tagen.',
    },
    seeOrders: 'Ihre Bestellungen ansehen',
    seeOrder: 'Bestellung ansehen',
    summary: {
      subject: 'Weitere Neuigkeiten zu Ihren Bestellungen',
      lead: 'Außer den Bestellungen, zu denen wir Ihnen geschrieben haben, haben sich diese geändert:',
      others: (shown) => `und ${shown} weitere`,
      note: 'Wir schreiben Ihnen zu den Bestellungen eines Verkäufers höchstens drei E-Mails am Tag und eine wie diese.',
      states: {
        'order.awaiting_wallet': 'wartet auf Ihre Wallet',
        'order.delivered': 'wurde geliefert',
        'order.failed': 'konnte nicht geliefert werden',
      },
    },
  },
  scripts: {
    'Copied.': 'Kopiert.',
    'Your browser blocked this. Copy the selected text yourself.':
      'Ihr Browser hat das verhindert. Kopieren Sie den markierten Text selbst.',
    'Looking for wallets…': 'Wallets werden gesucht …',
    'No wallet was found in this browser. Install one, or unlock it, and reload this page.':
      'In diesem Browser wurde keine Wallet gefunden. Installieren oder entsperren Sie eine und laden Sie diese Seite neu.',
    'Browser wallet': 'Wallet des Browsers',
    'Waiting for {name}…': 'Warten auf {name} …',
    'Done.': 'Fertig.',
    '{label} with {name}': '{label} mit {name}',
    'This site did not answer: check your connection, then try again.':
      'Diese Website hat nicht geantwortet: Prüfen Sie Ihre Verbindung und versuchen Sie es erneut.',
    'Something went wrong on our side: try again in a minute.':
      'Bei uns ist etwas schiefgegangen: Versuchen Sie es in einer Minute erneut.',
    'You declined the request in your wallet.': 'Sie haben die Anfrage in Ihrer Wallet abgelehnt.',
    'Your wallet does not let this site use the account. Allow it in the wallet, then try again.':
      'Ihre Wallet erlaubt dieser Website nicht, das Konto zu verwenden. Erlauben Sie es in der Wallet und versuchen Sie es erneut.',
    'Your wallet cannot do this. Try another wallet.':
      'Ihre Wallet kann das nicht. Versuchen Sie es mit einer anderen.',
    'Your wallet is not connected to any network. Check your connection, then try again.':
      'Ihre Wallet ist mit keinem Netzwerk verbunden. Prüfen Sie Ihre Verbindung und versuchen Sie es erneut.',
    'Your wallet is not connected to this network. Check your connection, then try again.':
      'Ihre Wallet ist nicht mit diesem Netzwerk verbunden. Prüfen Sie Ihre Verbindung und versuchen Sie es erneut.',
    'Open your wallet: a request is waiting there.':
      'Öffnen Sie Ihre Wallet: Dort wartet eine Anfrage.',
    'Your wallet did not answer as expected. Unlock it, reload this page, and try again.':
      'Ihre Wallet hat nicht wie erwartet geantwortet. Entsperren Sie sie, laden Sie diese Seite neu und versuchen Sie es erneut.',
    'Your wallet shares no account: unlock it, then try again.':
      'Ihre Wallet gibt kein Konto frei: Entsperren Sie sie und versuchen Sie es erneut.',
    'Your wallet uses another account: choose {address} in it.':
      'Ihre Wallet verwendet ein anderes Konto: Wählen Sie darin {address}.',
    'Your wallet does not know the network “{name}”: add it in your wallet (chain id {chainId}), then try again.':
      'Ihre Wallet kennt das Netzwerk „{name}“ nicht: Fügen Sie es in Ihrer Wallet hinzu (Chain-ID {chainId}) und versuchen Sie es erneut.',
    'Your wallet did not add the token: add it there yourself, with the contract and the token id of this page.':
      'Ihre Wallet hat das Token nicht hinzugefügt: Fügen Sie es dort selbst hinzu, mit dem Vertrag und der Token-ID dieser Seite.',
    'This page no longer updates, because you are signed out. Reload it.':
      'Diese Seite wird nicht mehr aktualisiert, weil Sie abgemeldet sind. Laden Sie sie neu.',
    'There is no connection. This page updates when it is back.':
      'Es besteht keine Verbindung. Diese Seite wird aktualisiert, sobald sie wieder da ist.',
  },
  reasons: {
    cancelled: 'storniert',
    contract_paused: 'der Liefervertrag ist angehalten',
    contract_unavailable: 'der Liefervertrag antwortet nicht',
    gas_burned:
      'das Token oder der Empfänger hat das Gas zweier Übertragungen verbraucht: der Betreiber muss es erneut versuchen',
    gas_limit_exceeded: 'die Übertragung braucht mehr Gas, als erlaubt ist',
    holder_has_no_token: 'der Besitzer hat das Token nicht',
    holder_not_approved: 'der Besitzer hat die Lieferung nicht erlaubt',
    invalid_quantity: 'die Menge ist keine Stückzahl',
    invalid_recipient: 'der Empfänger ist keine Wallet',
    invalid_token_address: 'das NFT hat keine gültige Vertragsadresse',
    invalid_token_id: 'das NFT hat keine gültige Token-ID',
    key_used_for_other_delivery: 'der Lieferschlüssel wurde für eine andere Lieferung verwendet',
    mint_not_exact: 'es würden andere Stücke geprägt, als verkauft wurden',
    mint_refused: 'das Token lehnt das Prägen ab',
    minter_role_missing: 'der Liefervertrag darf dieses Token nicht prägen',
    network_not_configured: 'das Netzwerk des NFT ist nicht eingerichtet',
    no_relayer: 'der Liefervertrag hat keinen Zusteller',
    node_unavailable: 'das Netzwerk teilt nicht mit, ob geliefert werden kann',
    quantity_above_limit: 'die Menge ist größer, als auf einmal geliefert werden darf',
    recipient_not_deployed: 'der Vertrag der Wallet des Empfängers ist noch nicht angelegt',
    recipient_on_other_chain:
      'die Wallet des Empfängers ist ein Vertrag in einem anderen Netzwerk als das NFT',
    recipient_rejects: 'der Empfänger hat das Token nicht angenommen',
    relayer_limit_reached: 'das Limit der Zusteller ist erreicht',
    seller_has_no_wallet: 'der Verkäufer hat keine Wallet',
    seller_on_other_chain:
      'die Wallet des Verkäufers ist ein Vertrag in einem anderen Netzwerk als das NFT',
    simulation_failed: 'die Übertragung schlägt in einer Simulation fehl',
    single_piece_token: 'ein ERC-721-Token hat ein Stück, daher muss die Menge 1 sein',
    token_limit_missing: 'das Token hat im Liefervertrag kein Limit, das zum Prägen nötig ist',
    token_limit_reached: 'das Token hat sein Limit im Liefervertrag erreicht',
    token_moved_nothing: 'das Token hat die Übertragung angenommen, aber keine verzeichnet',
    token_not_deployed: 'der Vertrag des Tokens hat keinen Code',
    token_not_supported: 'der Vertrag des Tokens ist weder ERC-721 noch ERC-1155',
    token_not_transferable: 'das Token kann derzeit nicht übertragen werden',
    transaction_not_found:
      'das Netzwerk teilt nicht mit, welche Transaktion den Schlüssel verwendet hat',
    transfer_failed: 'die Übertragung ist in einer Transaktion fehlgeschlagen',
    transfer_without_effect:
      'drei Transaktionen blieben ohne Wirkung: ein Betreiber muss es erneut versuchen',
  },
}
