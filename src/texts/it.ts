/** The Italian texts, with «tu», as shops write it. */
import type { Translation } from './en.ts'

export const it: Translation = {
  layout: {
    skip: 'Vai al contenuto',
    main: 'Menu principale',
    nfts: 'NFT',
    api: 'API',
    apiReference: 'Riferimento API',
    language: 'Lingua',
    imprint: 'Note legali',
    terms: 'Condizioni',
    privacy: 'Privacy',
    questions: 'Domande',
    menuOf: (name) => `Menu di ${name}`,
    yourAccount: 'Il tuo account',
    operations: 'Gestione',
    signOut: 'Esci',
    cancel: 'Annulla',
  },
  settings: {
    title: 'Impostazioni',
    profile: 'Profilo',
    addresses: 'Indirizzi',
    account: 'Account',
    selling: 'Vendite',
    sessions: 'Sessioni',
    'api-access': 'Accesso API',
    webhooks: 'Webhook',
    tooOld: (toDo) => `Hai effettuato l’accesso più di 10 minuti fa. Accedi di nuovo per ${toDo}.`,
  },
  time: { now: 'poco fa', soon: 'tra un istante' },
  signIn: {
    title: 'Accedi',
    notices: {
      'signed-out': 'Disconnessione effettuata.',
      required: 'Accedi per aprire questa pagina.',
      'not-saved':
        'La tua sessione è terminata, quindi non è stato salvato nulla. Accedi e inserisci di nuovo i dati.',
    },
    toAccount: (host) => `al tuo account su ${host}`,
    toOther: (host) => `per continuare su ${host}`,
    email: 'Indirizzo e-mail',
    send: 'Inviami un link',
    hint: 'Non serve una password. Il link ti fa accedere e scade dopo 15 minuti.',
    or: 'oppure',
    orWallet: 'oppure con un wallet',
    notAnAddress: 'Questo non è un indirizzo e-mail.',
    notHuman: 'Conferma di essere una persona e invia di nuovo il modulo.',
    again: {
      title: 'Accedi di nuovo',
      lead: 'Quello che stai per fare richiede un accesso negli ultimi 10 minuti.',
      byEmail: (email) => ['Inviamo un link a ', email, '. Aprilo in questo browser.'],
      byWallet: (address) => ['Firma con il tuo wallet ', address],
    },
    sent: {
      title: 'Link inviato',
      another: 'Un altro link è in arrivo.',
      scarce:
        'Sono stati inviati così tanti link che li ricevono solo gli indirizzi che hanno un account, finché ce ne sono. Se non arriva nulla, riprova tra un’ora o accedi con un wallet.',
      to: (mailbox) => ['Controlla ', mailbox, ': ti abbiamo inviato un link.'],
      yourMailbox: 'la tua casella di posta',
      here: 'Funziona una volta e scade dopo 15 minuti. Aprilo in questo browser.',
      anywhere: 'Funziona una volta, scade dopo 15 minuti e si apre su qualsiasi dispositivo.',
      sendAnother: 'Invia un altro link',
      back: 'Torna all’accesso',
      otherAddress: 'Usa un altro indirizzo',
      hint: 'Nessuna e-mail? Guarda nella cartella dello spam. I tuoi ultimi tre link funzionano. Inviamo al massimo sei link a una casella in 15 minuti.',
    },
    confirm: {
      as: (email) => ['come ', email],
      endsOther: (name) =>
        `Hai effettuato l’accesso come ${name}. Quella sessione terminerà in questo browser.`,
      hint: 'Non è il tuo indirizzo o non lo hai richiesto? Chiudi questa pagina. Non cambia nulla.',
    },
  },
  brokenLink: {
    cut: 'Questo link non è completo',
    ended: 'Questo link non funziona più',
    whyCut:
      'Ne manca una parte. I programmi di posta a volte spezzano un link lungo su due righe: copialo per intero dall’e-mail o chiedine uno nuovo.',
    oneOf: 'Il motivo è uno di questi:',
    used: 'È stato usato. Ogni link fa accedere una sola volta.',
    usedToLink: 'È stato usato. In tal caso l’indirizzo e-mail è collegato.',
    tooOld: 'Ha più di 15 minuti.',
    newer: 'Hai richiesto tre link più recenti. Apri l’ultimo.',
    otherAccount: 'Lo hai richiesto in un altro account.',
    signedInAs: (name) => `Hai effettuato l’accesso come ${name}.`,
    toOrders: 'Vai ai tuoi ordini',
    sendNew: 'Inviami un nuovo link',
    toAccount: 'Vai all’account',
    hint: 'Lì vedi se l’indirizzo è collegato e puoi chiedere un nuovo link.',
  },
  account: {
    lead: 'Puoi accedere con un wallet o un indirizzo e-mail collegato.',
    methods: 'I tuoi modi per accedere',
    userId: (id) => `Il tuo numero utente è ${id}.`,
    toUnlink: 'scollegarne uno',
    unlink: 'Scollega',
    cannotSignIn: 'Non potrai più usarlo per accedere a questo account.',
    email: {
      subject: 'l’indirizzo e-mail',
      ask: 'Scollegare questo indirizzo e-mail?',
      unlink: 'Scollega l’indirizzo e-mail',
    },
    wallet: {
      subject: 'il wallet',
      ask: 'Scollegare questo wallet?',
      unlink: 'Scollega il wallet',
    },
    waitsForNext:
      'Ciò che hai acquistato e non è ancora stato inviato attende il tuo prossimo wallet.',
    linkWallet: 'Collega un wallet',
    noWallet:
      'Nessun wallet è collegato. Gli NFT che hai acquistato ti saranno inviati quando ne collegherai uno.',
    toLinkWallet: 'collegare un wallet',
    addEmail: 'Aggiungi un indirizzo e-mail',
    whyEmail: 'Così puoi accedere senza il tuo wallet, e ti avvisiamo di ciò che cambia qui.',
    toAddEmail: 'aggiungere un indirizzo e-mail',
    emailToAdd: 'Indirizzo da aggiungere',
    confirm: 'Conferma il tuo indirizzo e-mail',
    afterConfirm: (email) => ['Dopo la conferma puoi accedere a questo account con ', email, '.'],
    confirmNow: 'Conferma',
    notNow: 'Non ora',
    notices: {
      'wallet-linked': 'Il wallet è collegato.',
      'email-linked': 'L’indirizzo e-mail è collegato.',
      'wallet-unlinked':
        'Il wallet è scollegato. Le sessioni che ha avviato continuano: termina quelle che non sono tue.',
      'email-unlinked':
        'L’indirizzo e-mail è scollegato. Le sessioni che ha avviato continuano: termina quelle che non sono tue.',
      'link-sent':
        'Un link è in arrivo a questo indirizzo. Aprilo in questo browser. Se non arriva, riprova tra 15 minuti.',
    },
  },
  copy: {
    button: 'Copia',
    what: (label: string) => ` il testo di «${label}»`,
  },
  wallets: {
    label: 'Wallet',
    noScript: 'I wallet richiedono JavaScript, che in questo browser è disattivato.',
    apps: {
      open: 'Apri questa pagina nella tua app wallet.',
      openToSignIn: 'Apri questa pagina nella tua app wallet e accedi lì:',
      signInFirst:
        'Lì accedi prima con il tuo indirizzo e-mail, incollando il link della nostra e-mail nel browser dell’app. Poi collega il wallet.',
      label: 'App wallet',
      other: 'Usa un’altra app wallet',
      copyAddress:
        'Copia l’indirizzo di questa pagina e incollalo nel browser della tua app wallet.',
      address: 'Indirizzo di questa pagina',
    },
  },
  errors: {
    label: (status) => `Errore ${status}`,
    start: 'Pagina iniziale',
    toForm: 'Torna al modulo',
    request: 'Numero di questa richiesta:',
    titles: {
      403: 'Non consentito',
      404: 'Pagina non trovata',
      405: 'Questa pagina non si può aprire',
      409: 'Non è possibile',
      429: 'Troppi tentativi',
      500: 'Qualcosa è andato storto',
      503: 'Riprova',
      other: 'Non ha funzionato',
    },
    advice: {
      403: 'Se hai un altro account che può farlo, esci e accedi con quello.',
      404: 'Controlla che il link non contenga errori. Ciò che era qui potrebbe anche essere stato rimosso.',
      405: 'Questo link invia un modulo. Apri invece il modulo.',
      409: 'Non è stato modificato nulla. Torna indietro e controlla lo stato attuale.',
      429: 'Quest’ultimo tentativo non ha modificato nulla. Attendi un minuto e riprova.',
      500: 'Riprova tra un minuto. Se succede di nuovo, comunicaci il numero qui sotto.',
      503: 'Attendi un minuto e riprova. Se succede di nuovo, comunicaci il numero qui sotto.',
      other:
        'Non è stato modificato nulla. Torna indietro, controlla ciò che hai inserito e riprova.',
    },
  },
  receipt: { seller: 'Venduto da' },
  forFew: {
    title: 'Per venditori e sviluppatori',
    lead: 'Ciò che vendi e ciò che serve ai tuoi programmi ha pagine proprie.',
  },
  cover: {
    none: 'Nessuna immagine',
    drawn: 'Questo NFT non ha un’immagine. Il disegno ne prende solo il posto.',
  },
  buy: {
    at: (host) => ['Acquista su ', host],
    hint: 'Paghi nel negozio del venditore. Poi l’NFT viene inviato al tuo wallet.',
    noShop: 'Il venditore non ci ha comunicato dove si può acquistare.',
  },
  orders: {
    title: 'Ordini',
    bought: 'Acquistati',
    sold: 'Venduti',
    newest: 'Ordini più recenti',
    older: 'Ordini meno recenti',
    noneBought:
      'Non hai ancora acquistato nulla. Ciò che acquisti in un negozio di questo marketplace appare qui.',
    noneSold: 'Non hai ancora venduto nulla.',
    noMore: 'Non ci sono altri ordini.',
    onTheirWay: (count, shown) =>
      count === 1 ? '1 NFT è in arrivo.' : `${shown} NFT sono in arrivo.`,
    waitForWallet: (count, shown) =>
      count === 1
        ? '1 NFT attende che tu colleghi un wallet.'
        : `${shown} NFT attendono che tu colleghi un wallet.`,
    toReceive: (link) => ['Per riceverlo: ', link, '.'],
    noWalletOfBuyer: 'L’acquirente non ha ancora collegato un wallet.',
    pieces: (count, shown) => (count === 1 ? '1 pezzo' : `${shown} pezzi`),
    order: (number) => ['Ordine ', number],
    buyer: (name) => ['Acquirente: ', name],
    user: (id) => `utente ${id}`,
    transaction: 'Transazione',
    shop: 'Il tuo negozio',
    ordered: 'Ordinato',
    price: 'Prezzo',
    tax: 'Imposte incluse',
    discount: 'Sconto',
    invoice: 'Fattura',
    wallet: 'Wallet',
    none: 'Non ancora',
    contract: 'Contratto',
    network: 'Rete',
    tokenId: 'ID del token',
    billing: 'Indirizzo di fatturazione',
    addToWallet: 'Aggiungi al wallet',
    cancelled: 'La consegna è stata annullata.',
    askShop: (number) =>
      `Contatta il negozio in cui hai acquistato e indica l’ordine ${number}: decide se inviare di nuovo o rimborsare.`,
    askOperator: (number) => `Contatta il gestore del marketplace e indica l’ordine ${number}.`,
    technicalReason: 'Motivo tecnico',
    waitsBecause: {
      seller: 'Prima il venditore deve fare qualcosa.',
      buyer: 'Così com’è, il tuo wallet non può riceverlo.',
      network: 'La rete è lenta o non risponde.',
      operator: 'Prima il marketplace deve correggere qualcosa. Tu non devi fare nulla.',
    },
    deliveryFailed: 'La consegna non è riuscita.',
    failedBecause: {
      seller: 'Il venditore non l’ha resa possibile in tempo.',
      buyer: 'Il tuo wallet non può riceverlo: collegane un altro, poi fallo inviare di nuovo.',
      network: 'La rete non ha indicato se è arrivato.',
      operator: 'Non è stato possibile per un motivo tecnico.',
    },
    triedUntilItWorks: 'Si riprova finché non riesce.',
    failsSoon: 'Se non cambia nulla, la consegna fallirà presto.',
    failsAt: (time) => ['Se non cambia nulla, la consegna fallirà ', time, '.'],
    mintNotAllowed: (contract) => ['Non hai consentito il conio di ', contract, '.'],
    deliveryNotAllowed: (contract) => ['Non hai consentito la consegna di ', contract, '.'],
    allow: 'Consenti ora',
  },
  claim: {
    title: (number) => `Ricevi l’ordine ${number}`,
    confirmEmail: 'Conferma il tuo indirizzo e-mail',
    toEmail: (email) => [
      'Questo ordine è stato inviato a ',
      email,
      ': mandiamo lì un link che riporta qui.',
    ],
    thenWallet: 'Poi colleghi un wallet, e ciò che hai acquistato viene inviato lì.',
    isClaimed: 'Non attende più un wallet: accedi per vedere la consegna.',
    signIn: 'Accedi con il wallet che hai indicato al negozio per vedere questo ordine.',
    connectWallet: 'Collega un wallet',
    toWallet:
      'Firma un messaggio con il wallet: non costa nulla. Poi ciò che hai acquistato viene inviato lì.',
    noWallet: 'Non ho un wallet',
    whatIsWallet:
      'Un wallet è un’app, o un’estensione del browser, che custodisce ciò che acquisti qui. È gratuito e ti mostra alcune parole segrete: conservale su carta, perché chi le conosce possiede ciò che contiene.',
  },
  phone: {
    onPhone: 'Il mio wallet è sul telefono',
    scan: 'Scansiona questo codice con il telefono',
    how: 'Usa lo scanner della tua app wallet o la fotocamera. Il codice vale 10 minuti e non fa accedere nessuno.',
    code: 'Codice da scansionare con il telefono',
    noCamera: 'Senza fotocamera',
    address: 'Apri questo indirizzo sul telefono',
    newCode: 'Mostra un nuovo codice',
    back: 'Indietro',
    ended: 'Questo codice non è più valido',
    askNew: 'Mostrane uno nuovo nel browser in cui hai effettuato l’accesso.',
    isYours: 'È il tuo wallet?',
    compare:
      'Il telefono ha dimostrato questo wallet. Se il tuo wallet mostra lo stesso indirizzo, confermalo: ciò che hai acquistato viene inviato lì.',
    confirm: 'Sì, collega questo wallet',
    title: 'Collega il wallet di questo telefono',
    start:
      'Hai scansionato il codice di un ordine. Continua e firma un messaggio con il tuo wallet.',
    goOn: 'Continua',
    onlyYours: 'Qualcun altro ti ha mostrato o inviato questo codice? Allora chiudi questa pagina.',
    toAccount: (email) => ['Il tuo wallet viene collegato all’account ', email, '.'],
    openInApp:
      'Nessun wallet qui? Scansiona il codice con la tua app wallet, o incolla questo indirizzo nel browser dell’app.',
    nowConfirm: 'Ora confermalo',
    whereToConfirm: 'Guarda il browser che mostra il codice. Chiede se questo wallet è tuo:',
  },
  steps: {
    label: 'Avanzamento',
    paid: 'Pagato',
    sent: 'Inviato',
    delivered: 'Consegnato',
    notDelivered: 'Non consegnato',
    cancelled: 'Annullato',
    needsWallet: 'Manca un wallet',
    onItsWay: 'In arrivo',
    beingSent: 'Invio in corso',
    beingCancelled: 'Annullamento in corso',
    waiting: {
      seller: 'In attesa del venditore',
      buyer: 'In attesa del tuo wallet',
      network: 'In attesa della rete',
      operator: 'In attesa del marketplace',
    },
    waitingAsSeller: {
      seller: 'In attesa di te',
      buyer: 'In attesa del wallet dell’acquirente',
    },
    spoken: {
      done: 'fatto',
      current: 'in corso',
      held: 'in ritardo',
      waits: 'non ancora',
      failed: 'non riuscito',
    },
  },
  collection: {
    title: 'Collezione',
    lead: 'Ciò che ti è stato consegnato, anche se poi lo hai ceduto.',
    none: 'Non ti è ancora stato consegnato nulla.',
    noneHere: 'Nessun NFT in questa pagina.',
    newest: 'NFT più recenti',
    older: 'NFT meno recenti',
  },
  unsubscribe: {
    title: 'E-mail sugli ordini',
    done: 'Non ne verranno inviate altre a questo indirizzo.',
    undone: 'Vengono di nuovo inviate a questo indirizzo.',
    undo: 'Inviami di nuovo e-mail sugli ordini',
    on: 'Ricevi e-mail sui tuoi ordini.',
    off: 'Non ricevi e-mail sui tuoi ordini.',
    others: 'Le e-mail per l’accesso e sul tuo account continuano ad arrivare a questo indirizzo.',
    submit: 'Non inviarmi più e-mail sugli ordini',
  },
  correctedAddress: {
    before: {
      subject: 'Il Suo indirizzo è stato rimosso da un ordine',
      lead: 'Un ordine indicava per errore questo indirizzo e-mail. L’errore è stato corretto: non riceverà altre e-mail al riguardo.',
      button: 'Apri il marketplace',
      note: 'Non deve fare nulla. I link che Le abbiamo inviato al riguardo non funzionano più.',
    },
    after: {
      subject: 'Il Suo ordine ha ora il Suo indirizzo',
      lead: 'Un ordine indicava per errore un altro indirizzo e-mail, che è stato sostituito con questo. Acceda con questo indirizzo per vedere che cosa ha acquistato e dove viene inviato.',
      button: 'Vedi i Suoi ordini',
      note: 'Se non ha acquistato nulla, ignori questa e-mail.',
    },
  },
  mail: {
    quote: (title) => `«${title}»`,
    forHost: (subject, host) => `${subject} per ${host}`,
    forOrder: (subject, order) => `${subject} (ordine ${order})`,
    ifNoButton: 'Se il pulsante non funziona, apri questo indirizzo:',
    unsubscribe: 'Non ricevere più e-mail sugli ordini',
    'sign-in': {
      subject: 'Il tuo link di accesso',
      lead: 'Apri questo link per accedere:',
      button: 'Accedi',
    },
    link: {
      subject: 'Conferma il tuo indirizzo e-mail',
      lead: 'Apri questo link per aggiungere questo indirizzo e-mail al tuo account:',
      button: 'Conferma',
    },
    linkNote:
      'Il link funziona una volta e scade dopo 15 minuti. Se non lo hai richiesto, ignora questa e-mail. Non chiediamo mai una password.',
    account: {
      events: {
        'wallet-linked': {
          subject: 'Un wallet è stato collegato',
          lead: 'Un wallet può ora accedere al tuo account.',
        },
        'email-linked': {
          subject: 'Un indirizzo e-mail è stato collegato',
          lead: 'Con questo indirizzo e-mail ora puoi accedere al tuo account.',
        },
        'wallet-unlinked': {
          subject: 'Un wallet è stato scollegato',
          lead: 'Il tuo wallet non può più accedere al tuo account. Accedi con questo indirizzo e-mail.',
        },
        'email-unlinked': {
          subject: 'Questo indirizzo e-mail è stato scollegato',
          lead: 'Con questo indirizzo e-mail non puoi più accedere al tuo account: ne apriresti uno nuovo e vuoto. Accedi con il tuo wallet.',
        },
      },
      button: 'Vedi le tue sessioni',
      note: 'Se non sei stato tu, accedi, termina tutte le altre sessioni e revoca i token che non conosci. Se non riesci ad accedere, scrivici.',
    },
    awaitingWallet: {
      subject: (title) => `Collega un wallet per ricevere ${title}`,
      lead: (title, order) =>
        `Hai acquistato ${title} (ordine ${order}). Accedi con questo indirizzo e-mail e collega un wallet: sarà inviato lì.`,
      button: 'Collega un wallet',
      note: 'Se non hai acquistato nulla, ignora questa e-mail.',
    },
    reminder: {
      subject: (title) => `${title} attende il tuo wallet`,
      lead: (title, order, since) =>
        `Hai acquistato ${title} (ordine ${order}), che attende il tuo wallet dal giorno ${since}. Accedi con questo indirizzo e-mail e collega un wallet: sarà inviato lì.`,
    },
    lastReminder: {
      subject: (title) => `Ultimo promemoria: ${title} attende il tuo wallet`,
      note: 'Questo è l’ultimo promemoria. Se non hai acquistato nulla, ignora questa e-mail.',
    },
    delivered: {
      subject: (title) => `${title} è stato consegnato`,
      lead: (title, order, wallet) => `${title} (ordine ${order}) è nel tuo wallet ${wallet}.`,
      note: (txId) => `Transazione: ${txId}`,
    },
    failed: {
      subject: (title) => `Non è stato possibile consegnare ${title}`,
      lead: (title, order) => `La consegna di ${title} (ordine ${order}) non è riuscita.`,
      note: 'La consegna potrebbe essere ritentata. Riceverai un’e-mail quando sarà arrivata.',
    },
    approval: {
      subject: (title) => `Consenti la consegna di ${title}`,
      lead: (title, wallet, call, contract, network) =>
        `Hai venduto ${title}, ma il marketplace non può trasferirlo dal tuo wallet ${wallet}. Con questo wallet, chiama la funzione ${call} del contratto del token ${contract} su ${network}.`,
      button: 'Consenti la consegna',
      note: 'Ciò che hai venduto di questo contratto attende il consenso. La consegna fallisce dopo 24 ore. Ti scriviamo per questo al massimo una volta ogni 30 giorni.',
    },
    seeOrders: 'Vedi i tuoi ordini',
    seeOrder: 'Vedi l’ordine',
    summary: {
      subject: 'Altre novità sui tuoi ordini',
      lead: 'Oltre agli ordini di cui ti abbiamo scritto, sono cambiati questi:',
      others: (shown) => `e altri ${shown}`,
      note: 'Ti scriviamo al massimo tre e-mail al giorno sugli ordini di un venditore, e una come questa.',
      states: {
        'order.awaiting_wallet': 'attende il tuo wallet',
        'order.delivered': 'è stato consegnato',
        'order.failed': 'non è stato possibile consegnarlo',
      },
    },
  },
  scripts: {
    'Copied.': 'Copiato.',
    'Your browser blocked this. Copy the selected text yourself.':
      'Il browser lo ha impedito. Copia tu il testo selezionato.',
    'Looking for wallets…': 'Ricerca dei wallet…',
    'No wallet was found in this browser. Install one, or unlock it, and reload this page.':
      'In questo browser non è stato trovato alcun wallet. Installane uno o sbloccalo e ricarica questa pagina.',
    'Browser wallet': 'Wallet del browser',
    'Waiting for {name}…': 'In attesa di {name}…',
    'Done.': 'Fatto.',
    '{label} with {name}': '{label} con {name}',
    'This site did not answer: check your connection, then try again.':
      'Questo sito non ha risposto: controlla la connessione e riprova.',
    'Something went wrong on our side: try again in a minute.':
      'Qualcosa è andato storto da parte nostra: riprova tra un minuto.',
    'You declined the request in your wallet.': 'Hai rifiutato la richiesta nel tuo wallet.',
    'Your wallet does not let this site use the account. Allow it in the wallet, then try again.':
      'Il tuo wallet non permette a questo sito di usare l’account. Consentilo nel wallet e riprova.',
    'Your wallet cannot do this. Try another wallet.':
      'Il tuo wallet non può farlo. Prova con un altro.',
    'Your wallet is not connected to any network. Check your connection, then try again.':
      'Il tuo wallet non è connesso ad alcuna rete. Controlla la connessione e riprova.',
    'Your wallet is not connected to this network. Check your connection, then try again.':
      'Il tuo wallet non è connesso a questa rete. Controlla la connessione e riprova.',
    'Open your wallet: a request is waiting there.':
      'Apri il tuo wallet: c’è una richiesta in attesa.',
    'Your wallet did not answer as expected. Unlock it, reload this page, and try again.':
      'Il tuo wallet non ha risposto come previsto. Sbloccalo, ricarica questa pagina e riprova.',
    'Your wallet shares no account: unlock it, then try again.':
      'Il tuo wallet non condivide alcun account: sbloccalo e riprova.',
    'Your wallet uses another account: choose {address} in it.':
      'Il tuo wallet usa un altro account: scegli {address} al suo interno.',
    'Your wallet does not know the network “{name}”: add it in your wallet (chain id {chainId}), then try again.':
      'Il tuo wallet non conosce la rete «{name}»: aggiungila nel wallet (ID della catena {chainId}) e riprova.',
    'Your wallet did not add the token: add it there yourself, with the contract and the token id of this page.':
      'Il tuo wallet non ha aggiunto il token: aggiungilo tu, con il contratto e l’ID del token di questa pagina.',
    'This page no longer updates, because you are signed out. Reload it.':
      'Questa pagina non si aggiorna più, perché la sessione è terminata. Ricaricala.',
    'There is no connection. This page updates when it is back.':
      'Non c’è connessione. Questa pagina si aggiornerà quando tornerà.',
  },
  reasons: {
    cancelled: 'annullata',
    contract_paused: 'il contratto di consegna è in pausa',
    contract_unavailable: 'il contratto di consegna non risponde',
    gas_burned:
      'il token o il destinatario ha esaurito il gas di due trasferimenti: il gestore deve riprovare',
    gas_limit_exceeded: 'il trasferimento richiede più gas di quanto consentito',
    holder_has_no_token: 'il detentore non ha il token',
    holder_not_approved: 'il detentore non ha consentito la consegna',
    invalid_quantity: 'la quantità non è un numero di pezzi',
    invalid_recipient: 'il destinatario non è un wallet',
    invalid_token_address: 'l’NFT non ha un indirizzo di contratto valido',
    invalid_token_id: 'l’NFT non ha un ID del token valido',
    key_used_for_other_delivery: 'la chiave di consegna è stata usata per un’altra consegna',
    mint_not_exact: 'il conio creerebbe pezzi diversi da quelli venduti',
    mint_refused: 'il token rifiuta il conio',
    minter_role_missing: 'il contratto di consegna non può coniare questo token',
    network_not_configured: 'la rete dell’NFT non è configurata',
    no_relayer: 'il contratto di consegna non ha un relayer',
    node_unavailable: 'la rete non comunica se la consegna è possibile',
    quantity_above_limit: 'la quantità supera quanto si può consegnare in una volta',
    recipient_not_deployed: 'il contratto del wallet del destinatario non è distribuito',
    recipient_on_other_chain:
      'il wallet del destinatario è un contratto su una rete diversa da quella dell’NFT',
    recipient_rejects: 'il destinatario non ha accettato il token',
    relayer_limit_reached: 'i relayer hanno raggiunto il loro limite',
    seller_has_no_wallet: 'il venditore non ha un wallet',
    seller_on_other_chain:
      'il wallet del venditore è un contratto su una rete diversa da quella dell’NFT',
    simulation_failed: 'il trasferimento non riesce in una simulazione',
    single_piece_token: 'un token ERC-721 ha un solo pezzo, quindi la quantità deve essere 1',
    token_limit_missing:
      'il token non ha un limite nel contratto di consegna, richiesto per il conio',
    token_limit_reached: 'il token ha raggiunto il suo limite nel contratto di consegna',
    token_moved_nothing: 'il token ha accettato il trasferimento ma non ne ha registrato alcuno',
    token_not_deployed: 'il contratto del token non ha codice',
    token_not_supported: 'il contratto del token non è né ERC-721 né ERC-1155',
    token_not_transferable: 'al momento il token non può essere trasferito',
    transaction_not_found: 'la rete non comunica quale transazione ha usato la chiave',
    transfer_failed: 'il trasferimento non è riuscito in una transazione',
    transfer_without_effect: 'tre transazioni non hanno avuto effetto: un operatore deve riprovare',
  },
}
