/** The French texts, with « vous ». */
import type { Translation } from './en.ts'

export const fr: Translation = {
  layout: {
    skip: 'Aller au contenu',
    main: 'Menu principal',
    nfts: 'NFT',
    api: 'API',
    apiReference: 'Référence de l’API',
    language: 'Langue',
    imprint: 'Mentions légales',
    terms: 'Conditions',
    privacy: 'Confidentialité',
    questions: 'Questions',
    menuOf: (name) => `Menu de ${name}`,
    yourAccount: 'Votre compte',
    operations: 'Exploitation',
    signOut: 'Se déconnecter',
    cancel: 'Annuler',
  },
  settings: {
    title: 'Paramètres',
    profile: 'Profil',
    addresses: 'Adresses',
    account: 'Compte',
    selling: 'Ventes',
    sessions: 'Sessions',
    'api-access': 'Accès à l’API',
    webhooks: 'Webhooks',
    tooOld: (toDo) =>
      `Vous vous êtes connecté il y a plus de 10 minutes. Reconnectez-vous pour ${toDo}.`,
  },
  time: { now: 'à l’instant', soon: 'dans un instant' },
  signIn: {
    title: 'Se connecter',
    notices: {
      'signed-out': 'Vous êtes déconnecté.',
      required: 'Connectez-vous pour ouvrir cette page.',
      'not-saved':
        'Votre session a pris fin : rien n’a été enregistré. Connectez-vous, puis recommencez la saisie.',
    },
    toAccount: (host) => `à votre compte sur ${host}`,
    toOther: (host) => `pour continuer vers ${host}`,
    email: 'Adresse e-mail',
    send: 'Recevoir un lien',
    hint: 'Aucun mot de passe n’est nécessaire. Le lien vous connecte et expire au bout de 15 minutes.',
    or: 'ou',
    orWallet: 'ou avec un portefeuille',
    notAnAddress: 'Ceci n’est pas une adresse e-mail.',
    notHuman: 'Confirmez que vous êtes une personne, puis renvoyez le formulaire.',
    again: {
      title: 'Se reconnecter',
      lead: 'Cette action demande une connexion datant de moins de 10 minutes.',
      byEmail: (email) => ['Nous envoyons un lien à ', email, '. Ouvrez-le dans ce navigateur.'],
      byWallet: (address) => ['Signez avec votre portefeuille ', address],
    },
    sent: {
      title: 'Consultez votre messagerie',
      another: 'Un autre lien est en route.',
      scarce:
        'Tant de liens ont été envoyés que seules les adresses qui ont un compte en reçoivent, tant qu’il en reste. Si rien n’arrive, réessayez dans une heure ou connectez-vous avec un portefeuille.',
      to: (mailbox) => ['Un lien est en route vers ', mailbox, '.'],
      yourMailbox: 'votre messagerie',
      here: 'Il fonctionne une fois et expire au bout de 15 minutes. Ouvrez-le dans ce navigateur.',
      anywhere:
        'Il fonctionne une fois, expire au bout de 15 minutes et s’ouvre sur tout appareil.',
      sendAnother: 'Envoyer un autre lien',
      back: 'Retour à la connexion',
      otherAddress: 'Utiliser une autre adresse',
      hint: 'Pas d’e-mail ? Regardez dans les courriers indésirables. Vos trois derniers liens fonctionnent. Nous envoyons au plus six liens en 15 minutes à une même adresse.',
    },
    confirm: {
      as: (email) => ['en tant que ', email],
      endsOther: (name) =>
        `Vous êtes connecté en tant que ${name}. Cette session prendra fin dans ce navigateur.`,
      hint: 'Ce n’est pas votre adresse, ou vous n’avez rien demandé ? Fermez cette page. Rien ne change.',
    },
  },
  brokenLink: {
    cut: 'Ce lien est incomplet',
    ended: 'Ce lien ne fonctionne plus',
    whyCut:
      'Il en manque une partie. Les logiciels de messagerie coupent parfois un long lien en deux lignes : copiez-le en entier depuis l’e-mail, ou demandez-en un nouveau.',
    oneOf: 'L’une de ces raisons s’applique :',
    used: 'Il a été utilisé. Chaque lien connecte une seule fois.',
    usedToLink: 'Il a été utilisé. L’adresse e-mail est alors associée.',
    tooOld: 'Il date de plus de 15 minutes.',
    newer: 'Vous avez demandé trois liens plus récents. Ouvrez le dernier.',
    otherAccount: 'Vous l’avez demandé dans un autre compte.',
    signedInAs: (name) => `Vous êtes connecté en tant que ${name}.`,
    toOrders: 'Voir vos commandes',
    sendNew: 'Recevoir un nouveau lien',
    toAccount: 'Aller au compte',
    hint: 'Vous y verrez si l’adresse est associée, et pourrez demander un nouveau lien.',
  },
  account: {
    lead: 'Vous pouvez vous connecter avec un portefeuille ou une adresse e-mail associés.',
    methods: 'Vos moyens de connexion',
    userId: (id) => `Votre numéro d’utilisateur est ${id}.`,
    toUnlink: 'dissocier l’un d’eux',
    unlink: 'Dissocier',
    cannotSignIn: 'Vous ne pourrez plus l’utiliser pour vous connecter à ce compte.',
    email: {
      subject: 'l’adresse e-mail',
      ask: 'Dissocier cette adresse e-mail ?',
      unlink: 'Dissocier l’adresse e-mail',
    },
    wallet: {
      subject: 'le portefeuille',
      ask: 'Dissocier ce portefeuille ?',
      unlink: 'Dissocier le portefeuille',
    },
    waitsForNext:
      'Ce que vous avez acheté et qui n’est pas encore envoyé attend votre prochain portefeuille.',
    linkWallet: 'Associer un portefeuille',
    noWallet:
      'Aucun portefeuille n’est associé. Les NFT que vous avez achetés vous seront envoyés dès que vous en associerez un.',
    toLinkWallet: 'associer un portefeuille',
    addEmail: 'Ajouter une adresse e-mail',
    whyEmail:
      'Elle vous permet de vous connecter sans portefeuille, et nous vous informons de ce qui change ici.',
    toAddEmail: 'ajouter une adresse e-mail',
    emailToAdd: 'Adresse à ajouter',
    confirm: 'Confirmer votre adresse e-mail',
    afterConfirm: (email) => [
      'Après confirmation, vous pourrez vous connecter à ce compte avec ',
      email,
      '.',
    ],
    confirmNow: 'Confirmer',
    notNow: 'Pas maintenant',
    notices: {
      'wallet-linked': 'Le portefeuille est associé.',
      'email-linked': 'L’adresse e-mail est associée.',
      'wallet-unlinked':
        'Le portefeuille est dissocié. Les sessions qu’il a ouvertes continuent : mettez fin à celles qui ne sont pas les vôtres.',
      'email-unlinked':
        'L’adresse e-mail est dissociée. Les sessions qu’elle a ouvertes continuent : mettez fin à celles qui ne sont pas les vôtres.',
      'link-sent':
        'Un lien est en route vers cette adresse. Ouvrez-le dans ce navigateur. Si rien n’arrive, réessayez dans 15 minutes.',
    },
  },
  copy: {
    button: 'Copier',
    what: (label: string) => ` le texte de « ${label} »`,
  },
  wallets: {
    label: 'Portefeuilles',
    noScript: 'Les portefeuilles ont besoin de JavaScript, qui est désactivé dans ce navigateur.',
    apps: {
      open: 'Ouvrez cette page dans votre application de portefeuille.',
      openToSignIn:
        'Ouvrez cette page dans votre application de portefeuille et connectez-vous-y :',
      signInFirst:
        'Connectez-vous-y d’abord avec votre adresse e-mail, en collant le lien de notre e-mail dans le navigateur de l’application. Associez ensuite le portefeuille.',
      label: 'Applications de portefeuille',
      other: 'Utiliser une autre application de portefeuille',
      copyAddress:
        'Copiez l’adresse de cette page et collez-la dans le navigateur de votre application de portefeuille.',
      address: 'Adresse de cette page',
    },
  },
  errors: {
    label: (status) => `Erreur ${status}`,
    start: 'Page d’accueil',
    toForm: 'Retour au formulaire',
    request: 'Numéro de cette requête :',
    titles: {
      403: 'Accès refusé',
      404: 'Page introuvable',
      405: 'Cette page ne peut pas être ouverte',
      409: 'Ce n’est pas possible',
      429: 'Trop de tentatives',
      500: 'Un problème est survenu',
      503: 'Veuillez réessayer',
      other: 'Cela n’a pas fonctionné',
    },
    advice: {
      403: 'Si vous avez un autre compte qui y est autorisé, déconnectez-vous, puis connectez-vous à celui-là.',
      404: 'Vérifiez que le lien ne contient pas de faute de frappe. Ce qui se trouvait ici a peut-être été supprimé.',
      405: 'Ce lien envoie un formulaire. Ouvrez plutôt le formulaire.',
      409: 'Rien n’a été modifié. Revenez en arrière et vérifiez l’état actuel.',
      429: 'Cette dernière tentative n’a rien modifié. Attendez une minute, puis réessayez.',
      500: 'Réessayez dans une minute. Si le problème se reproduit, indiquez-nous le numéro ci-dessous.',
      503: 'Attendez une minute, puis réessayez. Si le problème se reproduit, indiquez-nous le numéro ci-dessous.',
      other: 'Rien n’a été modifié. Revenez en arrière, vérifiez votre saisie, puis réessayez.',
    },
  },
  receipt: { seller: 'Vendu par' },
  forFew: {
    title: 'Pour les vendeurs et les développeurs',
    lead: 'Ce que vous vendez et ce dont vos programmes ont besoin se trouve sur des pages à part.',
  },
  cover: {
    none: 'Pas d’image',
    drawn: 'Ce NFT n’a pas d’image. Le dessin ne fait qu’en tenir lieu.',
  },
  buy: {
    at: (host) => ['Acheter sur ', host],
    hint: 'Vous payez dans la boutique du vendeur. Le NFT est ensuite envoyé à votre portefeuille.',
    noShop: 'Le vendeur ne nous a pas indiqué où l’acheter.',
  },
  orders: {
    title: 'Commandes',
    bought: 'Achats',
    sold: 'Ventes',
    newest: 'Commandes les plus récentes',
    older: 'Commandes plus anciennes',
    noneBought:
      'Vous n’avez encore rien acheté. Ce que vous achetez dans une boutique de cette place de marché apparaît ici.',
    noneSold: 'Vous n’avez encore rien vendu.',
    noMore: 'Il n’y a plus de commandes.',
    onTheirWay: (count, shown) =>
      count === 1 ? '1 NFT est en route.' : `${shown} NFT sont en route.`,
    waitForWallet: (count, shown) =>
      count === 1
        ? '1 NFT attend que vous associiez un portefeuille.'
        : `${shown} NFT attendent que vous associiez un portefeuille.`,
    toReceive: (link) => ['Pour le recevoir : ', link, '.'],
    noWalletOfBuyer: 'L’acheteur n’a pas encore associé de portefeuille.',
    pieces: (count, shown) => (count === 1 ? '1 exemplaire' : `${shown} exemplaires`),
    order: (number) => ['Commande ', number],
    buyer: (name) => ['Acheteur : ', name],
    user: (id) => `utilisateur ${id}`,
    transaction: 'Transaction',
    shop: 'Votre boutique',
    ordered: 'Commandé',
    price: 'Prix',
    tax: 'Dont taxes',
    discount: 'Remise',
    invoice: 'Facture',
    wallet: 'Portefeuille',
    none: 'Pas encore',
    contract: 'Contrat',
    network: 'Réseau',
    tokenId: 'Identifiant du jeton',
    billing: 'Adresse de facturation',
    addToWallet: 'Ajouter au portefeuille',
    cancelled: 'La livraison a été annulée.',
    askShop: (number) =>
      `Adressez-vous à la boutique où vous avez acheté, en indiquant la commande ${number} : elle décide d’un nouvel envoi ou d’un remboursement.`,
    askOperator: (number) =>
      `Adressez-vous à l’exploitant de la place de marché en indiquant la commande ${number}.`,
    technicalReason: 'Raison technique',
    waitsBecause: {
      seller: 'Le vendeur doit d’abord faire quelque chose.',
      buyer: 'Votre portefeuille ne peut pas le recevoir en l’état.',
      network: 'Le réseau est lent ou ne répond pas.',
      operator: 'La place de marché doit d’abord corriger quelque chose. Vous n’avez rien à faire.',
    },
    deliveryFailed: 'La livraison a échoué.',
    failedBecause: {
      seller: 'Le vendeur ne l’a pas rendue possible à temps.',
      buyer:
        'Votre portefeuille ne peut pas le recevoir : associez-en un autre, puis demandez un nouvel envoi.',
      network: 'Le réseau n’a pas indiqué si l’envoi est arrivé.',
      operator: 'Elle n’a pas été possible pour une raison technique.',
    },
    triedUntilItWorks: 'Nous réessayons jusqu’à ce que cela fonctionne.',
    failsSoon: 'Si rien ne change, la livraison échouera bientôt.',
    failsAt: (time) => ['Si rien ne change, la livraison échouera ', time, '.'],
    mintNotAllowed: (contract) => ['Vous n’avez pas autorisé l’émission de ', contract, '.'],
    deliveryNotAllowed: (contract) => ['Vous n’avez pas autorisé la livraison de ', contract, '.'],
    allow: 'L’autoriser',
  },
  claim: {
    title: (number) => `Recevoir la commande ${number}`,
    confirmEmail: 'Confirmez votre adresse e-mail',
    toEmail: (email) => [
      'Cette commande a été envoyée à ',
      email,
      ' : nous y envoyons un lien, qui ramène ici.',
    ],
    thenWallet: 'Ensuite, vous connectez un portefeuille, et votre achat y est envoyé.',
    isClaimed: 'Elle n’attend plus de portefeuille : connectez-vous pour suivre sa livraison.',
    signIn:
      'Connectez-vous avec le portefeuille que vous avez indiqué à la boutique pour voir cette commande.',
    connectWallet: 'Connectez un portefeuille',
    toWallet: 'Signez un message avec lui, ce qui ne coûte rien. Votre achat y est alors envoyé.',
    noWallet: 'Je n’ai pas de portefeuille',
    whatIsWallet:
      'Un portefeuille est une application, ou une extension de votre navigateur, qui garde ce que vous achetez ici. Il est gratuit et vous montre quelques mots secrets : conservez-les sur papier, car qui les connaît possède ce qu’il contient.',
  },
  phone: {
    onPhone: 'Mon portefeuille est sur mon téléphone',
    scan: 'Scannez ce code avec votre téléphone',
    how: 'Utilisez le scanner de votre application de portefeuille, ou l’appareil photo. Le code est valable 10 minutes et ne connecte personne.',
    code: 'Code à scanner avec votre téléphone',
    noCamera: 'Sans appareil photo',
    address: 'Ouvrez cette adresse sur votre téléphone',
    newCode: 'Afficher un nouveau code',
    back: 'Retour',
    ended: 'Ce code n’est plus valable',
    askNew: 'Affichez-en un nouveau dans le navigateur où vous êtes connecté.',
    isYours: 'Est-ce votre portefeuille ?',
    compare:
      'Votre téléphone a prouvé ce portefeuille. Si votre portefeuille affiche la même adresse, confirmez-la : votre achat y est envoyé.',
    confirm: 'Oui, associer ce portefeuille',
    title: 'Connectez le portefeuille de ce téléphone',
    start:
      'Vous avez scanné le code d’une commande. Continuez, puis signez un message avec votre portefeuille.',
    goOn: 'Continuer',
    onlyYours: 'Quelqu’un d’autre vous a montré ou envoyé ce code ? Alors fermez cette page.',
    toAccount: (email) => ['Votre portefeuille sera associé au compte ', email, '.'],
    openInApp:
      'Pas de portefeuille ici ? Scannez le code avec votre application de portefeuille, ou collez cette adresse dans le navigateur de l’application.',
    nowConfirm: 'Confirmez-le maintenant',
    whereToConfirm:
      'Regardez le navigateur qui affiche le code. Il demande si ce portefeuille est le vôtre :',
  },
  steps: {
    label: 'Avancement',
    paid: 'Payé',
    sent: 'Envoyé',
    delivered: 'Livré',
    notDelivered: 'Non livré',
    cancelled: 'Annulé',
    needsWallet: 'Portefeuille requis',
    onItsWay: 'En route',
    beingSent: 'Envoi en cours',
    beingCancelled: 'Annulation en cours',
    waiting: {
      seller: 'En attente du vendeur',
      buyer: 'En attente de votre portefeuille',
      network: 'En attente du réseau',
      operator: 'En attente de la place de marché',
    },
    waitingAsSeller: {
      seller: 'En attente de votre part',
      buyer: 'En attente du portefeuille de l’acheteur',
    },
    spoken: {
      done: 'terminé',
      current: 'en cours',
      held: 'retardé',
      waits: 'pas encore',
      failed: 'échoué',
    },
  },
  collection: {
    title: 'Collection',
    lead: 'Ce qui vous a été livré, même si vous l’avez cédé depuis.',
    none: 'Rien ne vous a encore été livré.',
    noneHere: 'Aucun NFT sur cette page.',
    newest: 'NFT les plus récents',
    older: 'NFT plus anciens',
  },
  home: {
    title: 'Objets de collection numériques',
    headline: 'Des objets de collection numériques, livrés dans votre portefeuille',
    description: 'Des créateurs publient ici des NFT, et des boutiques les vendent.',
    howItWorks:
      'Une fois que vous avez payé dans une boutique, le NFT est transféré exactement une fois dans votre portefeuille, et vous pouvez suivre son trajet.',
    seeNfts: 'Voir les NFT',
    yourOrders: 'Vos commandes',
    unique: 'Pièces uniques',
    limited: 'En édition limitée',
    unlimited: 'En édition ouverte',
    releases: 'Parutions récentes',
    seeAll: 'Tout voir',
    creators: 'Créateurs',
  },
  nfts: {
    description: 'Tous les objets de collection numériques de cette place de marché.',
    words: 'Mots du titre',
    sortBy: 'Trier par',
    sorts: { newest: 'Plus récents', price: 'Prix le plus bas', title: 'Titre' },
    edition: 'Édition',
    editions: {
      all: 'Toutes',
      unique: 'Pièce unique',
      limited: 'Édition limitée',
      unlimited: 'Édition ouverte',
    },
    editionOf: (shown) => `Édition de ${shown} exemplaires`,
    show: 'Afficher',
    all: 'Tous les NFT',
    forSale: 'En vente',
    search: 'Rechercher',
    results: 'Résultats',
    by: (person) => ['Par ', person],
    editionBy: (edition, person) => `${edition}, par ${person}`,
    somebody: 'Une personne sans nom',
    allCreators: 'Tous les créateurs',
    count: (_count, shown) => `${shown} NFT`,
    latest: (count, time) => [count, ', le dernier ', time],
    released: (person, count) => `${person} a publié ${count} ici.`,
    searchIn: 'Rechercher dans ces NFT',
    newest: 'Première page',
    older: 'Page suivante',
    noneFits: 'Aucun NFT ne correspond.',
    seeAll: 'Voir tous les NFT',
    none: 'Rien n’a encore été publié.',
    seeHow: 'Comment les boutiques vendent ici',
    byAuction: 'Aux enchères uniquement',
    soldOut: 'Épuisé',
    notForSale: 'Pas en vente',
    left: (count, shown) => (count === 1 ? '1 disponible' : `${shown} disponibles`),
    more: (host) => `En savoir plus sur ${host}`,
    sellers: 'Où il est vendu',
    nobodySells: 'Personne ne le vend pour le moment.',
    seeForSale: 'Voir ce qui est en vente',
    attributes: 'Caractéristiques',
    value: 'Valeur',
    token: 'Jeton',
    collection: 'Collection',
    notMinted: 'Pas encore émis',
  },
  unsubscribe: {
    title: 'E-mails sur les commandes',
    done: 'Aucun autre ne sera envoyé à cette adresse.',
    undone: 'Ils sont de nouveau envoyés à cette adresse.',
    undo: 'Recevoir à nouveau des e-mails sur les commandes',
    on: 'Vous recevez des e-mails sur vos commandes.',
    off: 'Vous ne recevez pas d’e-mails sur vos commandes.',
    others:
      'Les e-mails de connexion et ceux sur votre compte sont toujours envoyés à cette adresse.',
    submit: 'Ne plus recevoir d’e-mails sur les commandes',
  },
  correctedAddress: {
    before: {
      subject: 'Votre adresse a été retirée d’une commande',
      lead: 'Une commande mentionnait cette adresse e-mail par erreur. C’est corrigé : vous ne recevrez plus d’e-mails à ce sujet.',
      button: 'Ouvrir la place de marché',
      note: 'Vous n’avez rien à faire. Les liens que nous vous avons envoyés à ce sujet ne fonctionnent plus.',
    },
    after: {
      subject: 'Votre commande porte maintenant votre adresse',
      lead: 'Une commande mentionnait par erreur une autre adresse e-mail. Elle a été remplacée par celle-ci. Connectez-vous avec cette adresse pour voir ce que vous avez acheté et où c’est envoyé.',
      button: 'Voir vos commandes',
      note: 'Si vous n’avez rien acheté, ignorez cet e-mail.',
    },
  },
  mail: {
    quote: (title) => `« ${title} »`,
    forHost: (subject, host) => `${subject} pour ${host}`,
    forOrder: (subject, order) => `${subject} (commande ${order})`,
    ifNoButton: 'Si le bouton ne fonctionne pas, ouvrez cette adresse :',
    unsubscribe: 'Ne plus recevoir d’e-mails sur les commandes',
    'sign-in': {
      subject: 'Votre lien de connexion',
      lead: 'Ouvrez ce lien pour vous connecter :',
      button: 'Se connecter',
    },
    link: {
      subject: 'Confirmez votre adresse e-mail',
      lead: 'Ouvrez ce lien pour ajouter cette adresse e-mail à votre compte :',
      button: 'Confirmer',
    },
    linkNote:
      'Le lien fonctionne une fois et expire au bout de 15 minutes. Si vous ne l’avez pas demandé, ignorez cet e-mail. Nous ne demandons jamais de mot de passe.',
    account: {
      events: {
        'wallet-linked': {
          subject: 'Un portefeuille a été associé',
          lead: 'Un portefeuille peut désormais se connecter à votre compte.',
        },
        'email-linked': {
          subject: 'Une adresse e-mail a été associée',
          lead: 'Cette adresse e-mail permet désormais de se connecter à votre compte.',
        },
        'wallet-unlinked': {
          subject: 'Un portefeuille a été dissocié',
          lead: 'Votre portefeuille ne peut plus se connecter à votre compte. Connectez-vous avec cette adresse e-mail.',
        },
        'email-unlinked': {
          subject: 'Cette adresse e-mail a été dissociée',
          lead: 'Cette adresse e-mail ne permet plus de se connecter à votre compte : elle en ouvrirait un nouveau, vide. Connectez-vous avec votre portefeuille.',
        },
      },
      button: 'Voir vos sessions',
      note: 'Si ce n’était pas vous, connectez-vous, fermez toutes les autres sessions et révoquez les jetons que vous ne connaissez pas. Si vous ne pouvez pas vous connecter, écrivez-nous.',
    },
    awaitingWallet: {
      subject: (title) => `Associez un portefeuille pour recevoir ${title}`,
      lead: (title, order) =>
        `Vous avez acheté ${title} (commande ${order}). Connectez-vous avec cette adresse e-mail et associez un portefeuille : votre NFT y sera envoyé.`,
      button: 'Associer un portefeuille',
      note: 'Si vous n’avez rien acheté, ignorez cet e-mail.',
    },
    reminder: {
      subject: (title) => `${title} attend votre portefeuille`,
      lead: (title, order, since) =>
        `Vous avez acheté ${title} (commande ${order}), qui attend votre portefeuille depuis le ${since.replace(/^1 /, '1er ')}. Connectez-vous avec cette adresse e-mail et associez un portefeuille : votre NFT y sera envoyé.`,
    },
    lastReminder: {
      subject: (title) => `Dernier rappel : ${title} attend votre portefeuille`,
      note: 'Ceci est le dernier rappel. Si vous n’avez rien acheté, ignorez cet e-mail.',
    },
    delivered: {
      subject: (title) => `${title} a été livré`,
      lead: (title, order, wallet) =>
        `${title} (commande ${order}) est dans votre portefeuille ${wallet}.`,
      note: (txId) => `Transaction : ${txId}`,
    },
    failed: {
      subject: (title) => `${title} n’a pas pu être livré`,
      lead: (title, order) => `La livraison de ${title} (commande ${order}) a échoué.`,
      note: 'La livraison sera peut-être tentée de nouveau. Vous recevrez un e-mail lorsqu’elle aura abouti.',
    },
    approval: {
      subject: (title) => `Autorisez la livraison de ${title}`,
      lead: (title, wallet, call, contract, network) =>
        `Vous avez vendu ${title}, mais la place de marché ne peut pas le transférer depuis votre portefeuille ${wallet}. Avec ce portefeuille, appelez la fonction ${call} du contrat de jeton ${contract} sur ${network}.`,
      button: 'Autoriser la livraison',
      note: 'Ce que vous avez vendu de ce contrat attend cette autorisation. La livraison échoue au bout de 24 heures. Nous vous écrivons à ce sujet au plus une fois en 30 jours.',
    },
    seeOrders: 'Voir vos commandes',
    seeOrder: 'Voir la commande',
    summary: {
      subject: 'D’autres nouvelles de vos commandes',
      lead: 'Outre les commandes au sujet desquelles nous vous avons écrit, celles-ci ont changé :',
      others: (shown) => `et ${shown} autres`,
      note: 'Nous vous écrivons au plus trois e-mails par jour au sujet des commandes d’un vendeur, et un comme celui-ci.',
      states: {
        'order.awaiting_wallet': 'attend votre portefeuille',
        'order.delivered': 'a été livré',
        'order.failed': 'n’a pas pu être livré',
      },
    },
  },
  scripts: {
    'Copied.': 'Copié.',
    'Your browser blocked this. Copy the selected text yourself.':
      'Votre navigateur a bloqué cette action. Copiez vous-même le texte sélectionné.',
    'Looking for wallets…': 'Recherche de portefeuilles…',
    'No wallet was found in this browser. Install one, or unlock it, and reload this page.':
      'Aucun portefeuille n’a été trouvé dans ce navigateur. Installez-en un, ou déverrouillez-le, puis rechargez cette page.',
    'Browser wallet': 'Portefeuille du navigateur',
    'Waiting for {name}…': 'En attente de {name}…',
    'Done.': 'Terminé.',
    '{label} with {name}': '{label} avec {name}',
    'This site did not answer: check your connection, then try again.':
      'Ce site n’a pas répondu : vérifiez votre connexion, puis réessayez.',
    'Something went wrong on our side: try again in a minute.':
      'Un problème est survenu de notre côté : réessayez dans une minute.',
    'You declined the request in your wallet.':
      'Vous avez refusé la demande dans votre portefeuille.',
    'Your wallet does not let this site use the account. Allow it in the wallet, then try again.':
      'Votre portefeuille ne laisse pas ce site utiliser le compte. Autorisez-le dans le portefeuille, puis réessayez.',
    'Your wallet cannot do this. Try another wallet.':
      'Votre portefeuille ne permet pas cela. Essayez-en un autre.',
    'Your wallet is not connected to any network. Check your connection, then try again.':
      'Votre portefeuille n’est connecté à aucun réseau. Vérifiez votre connexion, puis réessayez.',
    'Your wallet is not connected to this network. Check your connection, then try again.':
      'Votre portefeuille n’est pas connecté à ce réseau. Vérifiez votre connexion, puis réessayez.',
    'Open your wallet: a request is waiting there.':
      'Ouvrez votre portefeuille : une demande vous y attend.',
    'Your wallet did not answer as expected. Unlock it, reload this page, and try again.':
      'Votre portefeuille n’a pas répondu comme prévu. Déverrouillez-le, rechargez cette page et réessayez.',
    'Your wallet shares no account: unlock it, then try again.':
      'Votre portefeuille ne partage aucun compte : déverrouillez-le, puis réessayez.',
    'Your wallet uses another account: choose {address} in it.':
      'Votre portefeuille utilise un autre compte : choisissez-y {address}.',
    'Your wallet does not know the network “{name}”: add it in your wallet (chain id {chainId}), then try again.':
      'Votre portefeuille ne connaît pas le réseau « {name} » : ajoutez-le dans votre portefeuille (identifiant de chaîne {chainId}), puis réessayez.',
    'Your wallet did not add the token: add it there yourself, with the contract and the token id of this page.':
      'Votre portefeuille n’a pas ajouté le jeton : ajoutez-le vous-même, avec le contrat et l’identifiant du jeton de cette page.',
    'This page no longer updates, because you are signed out. Reload it.':
      'Cette page ne se met plus à jour, car vous êtes déconnecté. Rechargez-la.',
    'There is no connection. This page updates when it is back.':
      'Il n’y a pas de connexion. Cette page se mettra à jour dès qu’elle sera rétablie.',
  },
  reasons: {
    cancelled: 'annulée',
    contract_paused: 'le contrat de livraison est suspendu',
    contract_unavailable: 'le contrat de livraison ne répond pas',
    gas_burned:
      'le jeton ou le destinataire a épuisé le gaz de deux transferts : l’exploitant doit réessayer',
    gas_limit_exceeded: 'le transfert demande plus de gaz que ce qui est permis',
    holder_has_no_token: 'le détenteur n’a pas le jeton',
    holder_not_approved: 'le détenteur n’a pas autorisé la livraison',
    invalid_quantity: 'la quantité n’est pas un nombre d’exemplaires',
    invalid_recipient: 'le destinataire n’est pas un portefeuille',
    invalid_token_address: 'le NFT n’a pas d’adresse de contrat valide',
    invalid_token_id: 'le NFT n’a pas d’identifiant de jeton valide',
    key_used_for_other_delivery: 'la clé de livraison a servi à une autre livraison',
    mint_not_exact: 'l’émission créerait d’autres exemplaires que ceux qui ont été vendus',
    mint_refused: 'le jeton refuse l’émission',
    minter_role_missing: 'le contrat de livraison ne peut pas émettre ce jeton',
    network_not_configured: 'le réseau du NFT n’est pas configuré',
    no_relayer: 'le contrat de livraison n’a pas de relais',
    node_unavailable: 'le réseau n’indique pas si la livraison est possible',
    quantity_above_limit: 'la quantité dépasse ce qui peut être livré en une fois',
    recipient_not_deployed: 'le contrat du portefeuille du destinataire n’est pas déployé',
    recipient_on_other_chain:
      'le portefeuille du destinataire est un contrat sur un autre réseau que celui du NFT',
    recipient_rejects: 'le destinataire n’a pas accepté le jeton',
    relayer_limit_reached: 'les relais ont atteint leur limite',
    seller_has_no_wallet: 'le vendeur n’a pas de portefeuille',
    seller_on_other_chain:
      'le portefeuille du vendeur est un contrat sur un autre réseau que celui du NFT',
    simulation_failed: 'le transfert échoue lors d’une simulation',
    single_piece_token: 'un jeton ERC-721 a un seul exemplaire : la quantité doit être 1',
    token_limit_missing:
      'le jeton n’a pas de limite dans le contrat de livraison, ce que l’émission exige',
    token_limit_reached: 'le jeton a atteint sa limite dans le contrat de livraison',
    token_moved_nothing: 'le jeton a accepté le transfert mais n’en a enregistré aucun',
    token_not_deployed: 'le contrat du jeton n’a pas de code',
    token_not_supported: 'le contrat du jeton n’est ni ERC-721 ni ERC-1155',
    token_not_transferable: 'le jeton ne peut pas être transféré pour le moment',
    transaction_not_found: 'le réseau n’indique pas quelle transaction a utilisé la clé',
    transfer_failed: 'le transfert a échoué dans une transaction',
    transfer_without_effect:
      'trois transactions sont restées sans effet : un opérateur doit réessayer',
  },
}
