/** The Spanish texts, with «usted». */
import type { Translation } from './en.ts'

export const es: Translation = {
  layout: {
    skip: 'Ir al contenido',
    main: 'Menú principal',
    nfts: 'NFT',
    api: 'API',
    apiReference: 'Referencia de la API',
    language: 'Idioma',
    imprint: 'Aviso legal',
    terms: 'Condiciones',
    privacy: 'Privacidad',
    questions: 'Preguntas',
    menuOf: (name) => `Menú de ${name}`,
    yourAccount: 'Su cuenta',
    operations: 'Operaciones',
    signOut: 'Cerrar sesión',
    cancel: 'Cancelar',
  },
  settings: {
    title: 'Ajustes',
    profile: 'Perfil',
    addresses: 'Direcciones',
    account: 'Cuenta',
    selling: 'Ventas',
    sessions: 'Sesiones',
    'api-access': 'Acceso a la API',
    webhooks: 'Webhooks',
    tooOld: (toDo) => `Inició sesión hace más de 10 minutos. Inicie sesión de nuevo para ${toDo}.`,
  },
  time: { now: 'ahora mismo', soon: 'en un momento' },
  signIn: {
    title: 'Iniciar sesión',
    notices: {
      'signed-out': 'Ha cerrado la sesión.',
      required: 'Inicie sesión para abrir esta página.',
      'not-saved':
        'Su sesión ha terminado, así que no se ha guardado nada. Inicie sesión e introdúzcalo de nuevo.',
    },
    toAccount: (host) => `en su cuenta de ${host}`,
    toOther: (host) => `para continuar a ${host}`,
    email: 'Correo electrónico',
    send: 'Enviarme un enlace',
    hint: 'No necesita contraseña. El enlace inicia su sesión y caduca en 15 minutos.',
    or: 'o',
    orWallet: 'o con una cartera',
    notAnAddress: 'Esto no es una dirección de correo electrónico.',
    notHuman: 'Confirme que es una persona y envíe el formulario de nuevo.',
    again: {
      title: 'Iniciar sesión de nuevo',
      lead: 'Lo que va a hacer requiere un inicio de sesión de los últimos 10 minutos.',
      byEmail: (email) => ['Enviamos un enlace a ', email, '. Ábralo en este navegador.'],
      byWallet: (address) => ['Firme con su cartera ', address],
    },
    sent: {
      title: 'Revise su correo',
      another: 'Hemos enviado otro enlace.',
      scarce:
        'Se han enviado tantos enlaces que solo los reciben las direcciones que tienen cuenta, mientras queden. Si no llega ninguno, inténtelo de nuevo en una hora o inicie sesión con una cartera.',
      to: (mailbox) => ['Hemos enviado un enlace a ', mailbox, '.'],
      yourMailbox: 'su buzón',
      here: 'Funciona una vez y caduca en 15 minutos. Ábralo en este navegador.',
      anywhere: 'Funciona una vez, caduca en 15 minutos y se abre en cualquier dispositivo.',
      sendAnother: 'Enviar otro enlace',
      back: 'Volver al inicio de sesión',
      otherAddress: 'Usar otra dirección',
      hint: '¿No le llega el correo? Mire en la carpeta de correo no deseado. Sus tres últimos enlaces funcionan. Enviamos como máximo seis enlaces a un buzón en 15 minutos.',
    },
    confirm: {
      as: (email) => ['como ', email],
      endsOther: (name) =>
        `Ha iniciado sesión como ${name}. Esa sesión terminará en este navegador.`,
      hint: '¿No es su dirección o no lo ha pedido? Cierre esta página. No cambia nada.',
    },
  },
  brokenLink: {
    cut: 'Este enlace no está completo',
    ended: 'Este enlace ya no funciona',
    whyCut:
      'Le falta una parte. Los programas de correo a veces dividen un enlace largo en dos líneas: cópielo entero del correo o pida uno nuevo.',
    oneOf: 'El motivo es uno de estos:',
    used: 'Ya se usó. Cada enlace inicia sesión una sola vez.',
    usedToLink: 'Ya se usó. En ese caso, la dirección está vinculada.',
    tooOld: 'Tiene más de 15 minutos.',
    newer: 'Ha pedido tres enlaces más recientes. Abra el último.',
    otherAccount: 'Lo pidió en otra cuenta.',
    signedInAs: (name) => `Ha iniciado sesión como ${name}.`,
    toOrders: 'Ir a sus pedidos',
    sendNew: 'Enviarme un enlace nuevo',
    toAccount: 'Ir a la cuenta',
    hint: 'Allí verá si la dirección está vinculada y podrá pedir un enlace nuevo.',
  },
  account: {
    lead: 'Puede iniciar sesión con una cartera o un correo electrónico vinculados.',
    methods: 'Sus formas de iniciar sesión',
    userId: (id) => `Su número de usuario es ${id}.`,
    toUnlink: 'desvincular una de ellas',
    unlink: 'Desvincular',
    cannotSignIn: 'Ya no podrá iniciar sesión en esta cuenta de esa forma.',
    email: {
      subject: 'el correo electrónico',
      ask: '¿Desvincular este correo electrónico?',
      unlink: 'Desvincular el correo',
    },
    wallet: {
      subject: 'la cartera',
      ask: '¿Desvincular esta cartera?',
      unlink: 'Desvincular la cartera',
    },
    waitsForNext: 'Lo que ha comprado y aún no se ha enviado espera a su próxima cartera.',
    linkWallet: 'Vincular una cartera',
    noWallet:
      'No hay ninguna cartera vinculada. Los NFT que ha comprado se le enviarán en cuanto vincule una.',
    toLinkWallet: 'vincular una cartera',
    addEmail: 'Añadir un correo electrónico',
    whyEmail: 'Con él puede iniciar sesión sin su cartera, y le avisamos de lo que cambie aquí.',
    toAddEmail: 'añadir un correo electrónico',
    emailToAdd: 'Dirección que desea añadir',
    confirm: 'Confirmar su correo electrónico',
    afterConfirm: (email) => [
      'Cuando lo confirme, podrá iniciar sesión en esta cuenta con ',
      email,
      '.',
    ],
    confirmNow: 'Confirmar',
    notNow: 'Ahora no',
    notices: {
      'wallet-linked': 'La cartera está vinculada.',
      'email-linked': 'El correo electrónico está vinculado.',
      'wallet-unlinked':
        'La cartera está desvinculada. Las sesiones que inició continúan: termine las que no sean suyas.',
      'email-unlinked':
        'El correo electrónico está desvinculado. Las sesiones que inició continúan: termine las que no sean suyas.',
      'link-sent':
        'Hemos enviado un enlace a esta dirección. Ábralo en este navegador. Si no llega, inténtelo de nuevo en 15 minutos.',
    },
  },
  copy: {
    button: 'Copiar',
    what: (label: string) => ` el texto de «${label}»`,
  },
  wallets: {
    label: 'Carteras',
    noScript: 'Las carteras necesitan JavaScript, que está desactivado en este navegador.',
    apps: {
      open: 'Abra esta página en su aplicación de cartera.',
      openToSignIn: 'Abra esta página en su aplicación de cartera e inicie sesión allí:',
      signInFirst:
        'Allí inicie sesión primero con su correo electrónico, pegando el enlace de nuestro mensaje en el navegador de la aplicación. Después vincule la cartera.',
      label: 'Aplicaciones de cartera',
      other: 'Usar otra aplicación de cartera',
      copyAddress:
        'Copie la dirección de esta página y péguela en el navegador de su aplicación de cartera.',
      address: 'Dirección de esta página',
    },
  },
  errors: {
    label: (status) => `Error ${status}`,
    start: 'Página de inicio',
    toForm: 'Volver al formulario',
    request: 'Número de esta solicitud:',
    titles: {
      403: 'No permitido',
      404: 'Página no encontrada',
      405: 'Esta página no se puede abrir',
      409: 'No es posible',
      429: 'Demasiados intentos',
      500: 'Algo ha fallado',
      503: 'Inténtelo de nuevo',
      other: 'No ha funcionado',
    },
    advice: {
      403: 'Si tiene otra cuenta que puede hacerlo, cierre la sesión e iníciela con esa cuenta.',
      404: 'Compruebe que el enlace no tenga errores. También es posible que se haya eliminado lo que había aquí.',
      405: 'Este enlace envía un formulario. Abra el formulario en su lugar.',
      409: 'No se ha cambiado nada. Vuelva atrás y compruebe el estado actual.',
      429: 'Este último intento no ha cambiado nada. Espere un minuto e inténtelo de nuevo.',
      500: 'Inténtelo de nuevo en un minuto. Si vuelve a ocurrir, indíquenos el número de abajo.',
      503: 'Espere un minuto e inténtelo de nuevo. Si vuelve a ocurrir, indíquenos el número de abajo.',
      other:
        'No se ha cambiado nada. Vuelva atrás, compruebe lo que ha introducido e inténtelo de nuevo.',
    },
  },
  receipt: { seller: 'Vendido por' },
  forFew: {
    title: 'Para vendedores y desarrolladores',
    lead: 'Lo que vende y lo que necesitan sus programas tiene páginas propias.',
  },
  cover: {
    none: 'Sin imagen',
    drawn: 'Este NFT no tiene imagen. El dibujo solo ocupa su lugar.',
  },
  buy: {
    at: (host) => ['Comprar en ', host],
    hint: 'Usted paga en la tienda del vendedor. Después, el NFT se envía a su cartera.',
    noShop: 'El vendedor no nos ha indicado dónde se puede comprar.',
  },
  orders: {
    title: 'Pedidos',
    bought: 'Comprados',
    sold: 'Vendidos',
    newest: 'Pedidos más recientes',
    older: 'Pedidos anteriores',
    noneBought:
      'Todavía no ha comprado nada. Lo que compre en una tienda de este mercado aparecerá aquí.',
    noneSold: 'Todavía no ha vendido nada.',
    noMore: 'No hay más pedidos.',
    onTheirWay: (count, shown) =>
      count === 1 ? '1 NFT está en camino.' : `${shown} NFT están en camino.`,
    waitForWallet: (count, shown) =>
      count === 1
        ? '1 NFT espera a que vincule una cartera.'
        : `${shown} NFT esperan a que vincule una cartera.`,
    toReceive: (link) => ['Para recibirlo: ', link, '.'],
    noWalletOfBuyer: 'El comprador aún no ha vinculado una cartera.',
    pieces: (count, shown) => (count === 1 ? '1 unidad' : `${shown} unidades`),
    order: (number) => ['Pedido ', number],
    buyer: (name) => ['Comprador: ', name],
    user: (id) => `usuario ${id}`,
    transaction: 'Transacción',
    shop: 'Su tienda',
    ordered: 'Pedido el',
    price: 'Precio',
    tax: 'Impuestos incluidos',
    discount: 'Descuento',
    invoice: 'Factura',
    wallet: 'Cartera',
    none: 'Todavía no hay',
    contract: 'Contrato',
    network: 'Red',
    tokenId: 'Id. del token',
    billing: 'Dirección de facturación',
    addToWallet: 'Añadir a la cartera',
    cancelled: 'La entrega se ha cancelado.',
    askShop: (number) =>
      `Póngase en contacto con la tienda donde lo compró e indique el pedido ${number}: ella decide si se envía de nuevo o se reembolsa.`,
    askOperator: (number) =>
      `Póngase en contacto con el operador del mercado e indique el pedido ${number}.`,
    technicalReason: 'Motivo técnico',
    waitsBecause: {
      seller: 'El vendedor tiene que hacer algo antes.',
      buyer: 'Su cartera no puede recibirlo tal como está.',
      network: 'La red es lenta o no responde.',
      operator: 'El mercado tiene que corregir algo antes. Usted no tiene que hacer nada.',
    },
    deliveryFailed: 'La entrega ha fallado.',
    failedBecause: {
      seller: 'El vendedor no la hizo posible a tiempo.',
      buyer: 'Su cartera no puede recibirlo: vincule otra y pida que se envíe de nuevo.',
      network: 'La red no ha indicado si llegó.',
      operator: 'No fue posible por un motivo técnico.',
    },
    triedUntilItWorks: 'Se seguirá intentando hasta que funcione.',
    failsSoon: 'Si nada cambia, la entrega fallará pronto.',
    failsAt: (time) => ['Si nada cambia, la entrega fallará ', time, '.'],
    mintNotAllowed: (contract) => ['No ha permitido la emisión de ', contract, '.'],
    deliveryNotAllowed: (contract) => ['No ha permitido la entrega de ', contract, '.'],
    allow: 'Permitirla',
  },
  claim: {
    title: (number) => `Recibir el pedido ${number}`,
    confirmEmail: 'Confirme su correo electrónico',
    toEmail: (email) => [
      'Este pedido se envió a ',
      email,
      ': le enviamos allí un enlace que lleva de vuelta aquí.',
    ],
    thenWallet: 'Después conecta una cartera, y lo que compró se envía allí.',
    isClaimed: 'Ya no espera una cartera: inicie sesión para ver su entrega.',
    signIn: 'Inicie sesión con la cartera que dio a la tienda para ver este pedido.',
    connectWallet: 'Conecte una cartera',
    toWallet:
      'Firme un mensaje con ella, lo que no cuesta nada. Después, lo que compró se envía allí.',
    noWallet: 'No tengo cartera',
    whatIsWallet:
      'Una cartera es una aplicación, o una extensión de su navegador, que guarda lo que compra aquí. Es gratuita y le muestra unas palabras secretas: guárdelas en papel, porque quien las conoce es dueño de lo que contiene.',
  },
  phone: {
    onPhone: 'Mi cartera está en mi teléfono',
    scan: 'Escanee este código con su teléfono',
    how: 'Use el escáner de su aplicación de cartera o la cámara. El código vale 10 minutos y no inicia la sesión de nadie.',
    code: 'Código para escanear con su teléfono',
    noCamera: 'Sin cámara',
    address: 'Abra esta dirección en su teléfono',
    newCode: 'Mostrar un código nuevo',
    back: 'Volver',
    ended: 'Este código ya no funciona',
    askNew: 'Muestre uno nuevo en el navegador donde inició sesión.',
    isYours: '¿Es esta su cartera?',
    compare:
      'Su teléfono ha demostrado esta cartera. Si su cartera muestra la misma dirección, confírmela: lo que compró se envía allí.',
    confirm: 'Sí, vincular esta cartera',
    title: 'Conecte la cartera de este teléfono',
    start: 'Ha escaneado el código de un pedido. Continúe y firme un mensaje con su cartera.',
    goOn: 'Continuar',
    onlyYours: '¿Otra persona le mostró o envió este código? Entonces cierre esta página.',
    toAccount: (email) => ['Su cartera se vinculará a la cuenta ', email, '.'],
    openInApp:
      '¿No hay cartera aquí? Escanee el código con su aplicación de cartera, o pegue esta dirección en el navegador de la aplicación.',
    nowConfirm: 'Confírmela ahora',
    whereToConfirm: 'Mire el navegador que muestra el código. Le pregunta si esta cartera es suya:',
  },
  steps: {
    label: 'Progreso',
    paid: 'Pagado',
    sent: 'Enviado',
    delivered: 'Entregado',
    notDelivered: 'No entregado',
    cancelled: 'Cancelado',
    needsWallet: 'Falta una cartera',
    onItsWay: 'En camino',
    beingSent: 'Enviándose',
    beingCancelled: 'Cancelándose',
    waiting: {
      seller: 'A la espera del vendedor',
      buyer: 'A la espera de su cartera',
      network: 'A la espera de la red',
      operator: 'A la espera del mercado',
    },
    waitingAsSeller: {
      seller: 'A la espera de usted',
      buyer: 'A la espera de la cartera del comprador',
    },
    spoken: {
      done: 'hecho',
      current: 'en curso',
      held: 'retenido',
      waits: 'todavía no',
      failed: 'fallido',
    },
  },
  collection: {
    title: 'Colección',
    lead: 'Lo que se le ha entregado, aunque ya lo haya cedido.',
    none: 'Todavía no se le ha entregado nada.',
    noneHere: 'No hay ningún NFT en esta página.',
    newest: 'NFT más recientes',
    older: 'NFT anteriores',
  },
  unsubscribe: {
    title: 'Correos sobre pedidos',
    done: 'No se enviarán más a esta dirección.',
    undone: 'Se vuelven a enviar a esta dirección.',
    undo: 'Volver a enviarme correos sobre pedidos',
    on: 'Recibe correos sobre sus pedidos.',
    off: 'No recibe correos sobre sus pedidos.',
    others:
      'Los correos de inicio de sesión y sobre su cuenta se siguen enviando a esta dirección.',
    submit: 'No enviarme más correos sobre pedidos',
  },
  correctedAddress: {
    before: {
      subject: 'Su dirección se ha retirado de un pedido',
      lead: 'Un pedido indicaba por error esta dirección de correo electrónico. Ya está corregido: no recibirá más correos sobre él.',
      button: 'Abrir el mercado',
      note: 'No tiene que hacer nada. Los enlaces que le hemos enviado al respecto ya no funcionan.',
    },
    after: {
      subject: 'Su pedido ya tiene su dirección',
      lead: 'Un pedido indicaba por error otra dirección de correo electrónico. Se ha sustituido por esta. Inicie sesión con ella para ver qué ha comprado y adónde se envía.',
      button: 'Ver sus pedidos',
      note: 'Si no ha comprado nada, ignore este correo.',
    },
  },
  mail: {
    quote: (title) => `«${title}»`,
    forHost: (subject, host) => `${subject} para ${host}`,
    forOrder: (subject, order) => `${subject} (pedido ${order})`,
    ifNoButton: 'Si el botón no funciona, abra esta dirección:',
    unsubscribe: 'No recibir más correos sobre pedidos',
    'sign-in': {
      subject: 'Su enlace de inicio de sesión',
      lead: 'Abra este enlace para iniciar sesión:',
      button: 'Iniciar sesión',
    },
    link: {
      subject: 'Confirme su correo electrónico',
      lead: 'Abra este enlace para añadir este correo electrónico a su cuenta:',
      button: 'Confirmar',
    },
    linkNote:
      'El enlace funciona una vez y caduca en 15 minutos. Si no lo ha pedido, ignore este correo. Nunca pedimos una contraseña.',
    account: {
      events: {
        'wallet-linked': {
          subject: 'Se ha vinculado una cartera',
          lead: 'Una cartera ya puede iniciar sesión en su cuenta.',
        },
        'email-linked': {
          subject: 'Se ha vinculado una dirección de correo',
          lead: 'Con esta dirección de correo ya puede iniciar sesión en su cuenta.',
        },
        'wallet-unlinked': {
          subject: 'Se ha desvinculado una cartera',
          lead: 'Su cartera ya no puede iniciar sesión en su cuenta. Inicie sesión con esta dirección de correo.',
        },
        'email-unlinked': {
          subject: 'Se ha desvinculado esta dirección de correo',
          lead: 'Con esta dirección de correo ya no puede iniciar sesión en su cuenta: abriría una nueva y vacía. Inicie sesión con su cartera.',
        },
      },
      button: 'Ver sus sesiones',
      note: 'Si no ha sido usted, inicie sesión, cierre todas las demás sesiones y revoque los tokens que no conozca. Si no puede iniciar sesión, escríbanos.',
    },
    awaitingWallet: {
      subject: (title) => `Vincule una cartera para recibir ${title}`,
      lead: (title, order) =>
        `Ha comprado ${title} (pedido ${order}). Inicie sesión con este correo electrónico y vincule una cartera: se le enviará allí.`,
      button: 'Vincular una cartera',
      note: 'Si no ha comprado nada, ignore este correo.',
    },
    reminder: {
      subject: (title) => `${title} espera su cartera`,
      lead: (title, order, since) =>
        `Ha comprado ${title} (pedido ${order}), que espera su cartera desde el ${since}. Inicie sesión con este correo electrónico y vincule una cartera: se le enviará allí.`,
    },
    lastReminder: {
      subject: (title) => `Último recordatorio: ${title} espera su cartera`,
      note: 'Este es el último recordatorio. Si no ha comprado nada, ignore este correo.',
    },
    delivered: {
      subject: (title) => `${title} se ha entregado`,
      lead: (title, order, wallet) => `${title} (pedido ${order}) está en su cartera ${wallet}.`,
      note: (txId) => `Transacción: ${txId}`,
    },
    failed: {
      subject: (title) => `${title} no se ha podido entregar`,
      lead: (title, order) => `La entrega de ${title} (pedido ${order}) ha fallado.`,
      note: 'Es posible que la entrega se intente de nuevo. Recibirá un correo cuando haya llegado.',
    },
    approval: {
      subject: (title) => `Permita la entrega de ${title}`,
      lead: (title, wallet, call, contract, network) =>
        `Ha vendido ${title}, pero el mercado no puede transferirlo desde su cartera ${wallet}. Con esa cartera, llame a la función ${call} del contrato del token ${contract} en ${network}.`,
      button: 'Permitir la entrega',
      note: 'Lo que ha vendido de este contrato espera este permiso. La entrega falla a las 24 horas. Le escribimos sobre esto como máximo una vez cada 30 días.',
    },
    seeOrders: 'Ver sus pedidos',
    seeOrder: 'Ver el pedido',
    summary: {
      subject: 'Más novedades de sus pedidos',
      lead: 'Además de los pedidos sobre los que le hemos escrito, han cambiado estos:',
      others: (shown) => `y ${shown} más`,
      note: 'Le escribimos como máximo tres correos al día sobre los pedidos de un vendedor, y uno como este.',
      states: {
        'order.awaiting_wallet': 'espera su cartera',
        'order.delivered': 'se ha entregado',
        'order.failed': 'no se ha podido entregar',
      },
    },
  },
  scripts: {
    'Copied.': 'Copiado.',
    'Your browser blocked this. Copy the selected text yourself.':
      'Su navegador lo ha impedido. Copie usted el texto seleccionado.',
    'Looking for wallets…': 'Buscando carteras…',
    'No wallet was found in this browser. Install one, or unlock it, and reload this page.':
      'No se ha encontrado ninguna cartera en este navegador. Instale una o desbloquéela, y vuelva a cargar esta página.',
    'Browser wallet': 'Cartera del navegador',
    'Waiting for {name}…': 'Esperando a {name}…',
    'Done.': 'Hecho.',
    '{label} with {name}': '{label} con {name}',
    'This site did not answer: check your connection, then try again.':
      'Este sitio no ha respondido: compruebe su conexión e inténtelo de nuevo.',
    'Something went wrong on our side: try again in a minute.':
      'Algo ha fallado por nuestra parte: inténtelo de nuevo en un minuto.',
    'You declined the request in your wallet.': 'Ha rechazado la solicitud en su cartera.',
    'Your wallet does not let this site use the account. Allow it in the wallet, then try again.':
      'Su cartera no permite que este sitio use la cuenta. Permítalo en la cartera e inténtelo de nuevo.',
    'Your wallet cannot do this. Try another wallet.':
      'Su cartera no puede hacer esto. Pruebe con otra.',
    'Your wallet is not connected to any network. Check your connection, then try again.':
      'Su cartera no está conectada a ninguna red. Compruebe su conexión e inténtelo de nuevo.',
    'Your wallet is not connected to this network. Check your connection, then try again.':
      'Su cartera no está conectada a esta red. Compruebe su conexión e inténtelo de nuevo.',
    'Open your wallet: a request is waiting there.':
      'Abra su cartera: hay una solicitud pendiente.',
    'Your wallet did not answer as expected. Unlock it, reload this page, and try again.':
      'Su cartera no ha respondido como se esperaba. Desbloquéela, vuelva a cargar esta página e inténtelo de nuevo.',
    'Your wallet shares no account: unlock it, then try again.':
      'Su cartera no comparte ninguna cuenta: desbloquéela e inténtelo de nuevo.',
    'Your wallet uses another account: choose {address} in it.':
      'Su cartera usa otra cuenta: elija en ella {address}.',
    'Your wallet does not know the network “{name}”: add it in your wallet (chain id {chainId}), then try again.':
      'Su cartera no conoce la red «{name}»: añádala en su cartera (id. de cadena {chainId}) e inténtelo de nuevo.',
    'Your wallet did not add the token: add it there yourself, with the contract and the token id of this page.':
      'Su cartera no ha añadido el token: añádalo usted, con el contrato y el id. del token de esta página.',
    'This page no longer updates, because you are signed out. Reload it.':
      'Esta página ya no se actualiza, porque ha cerrado la sesión. Vuelva a cargarla.',
    'There is no connection. This page updates when it is back.':
      'No hay conexión. Esta página se actualizará cuando vuelva.',
  },
  reasons: {
    cancelled: 'cancelada',
    contract_paused: 'el contrato de entrega está en pausa',
    contract_unavailable: 'el contrato de entrega no responde',
    gas_burned:
      'el token o el destinatario agotó el gas de dos transferencias: el operador tiene que reintentarlo',
    gas_limit_exceeded: 'la transferencia necesita más gas del permitido',
    holder_has_no_token: 'el titular no tiene el token',
    holder_not_approved: 'el titular no ha permitido la entrega',
    invalid_quantity: 'la cantidad no es un número de unidades',
    invalid_recipient: 'el destinatario no es una cartera',
    invalid_token_address: 'el NFT no tiene una dirección de contrato válida',
    invalid_token_id: 'el NFT no tiene un id. de token válido',
    key_used_for_other_delivery: 'la clave de entrega se usó para otra entrega',
    mint_not_exact: 'la emisión crearía unidades distintas de las vendidas',
    mint_refused: 'el token rechaza la emisión',
    minter_role_missing: 'el contrato de entrega no puede emitir este token',
    network_not_configured: 'la red del NFT no está configurada',
    no_relayer: 'el contrato de entrega no tiene ningún retransmisor',
    node_unavailable: 'la red no indica si se puede entregar',
    quantity_above_limit: 'la cantidad supera lo que se puede entregar de una vez',
    recipient_not_deployed: 'el contrato de la cartera del destinatario no está desplegado',
    recipient_on_other_chain:
      'la cartera del destinatario es un contrato en una red distinta de la del NFT',
    recipient_rejects: 'el destinatario no ha aceptado el token',
    relayer_limit_reached: 'los retransmisores han alcanzado su límite',
    seller_has_no_wallet: 'el vendedor no tiene cartera',
    seller_on_other_chain:
      'la cartera del vendedor es un contrato en una red distinta de la del NFT',
    simulation_failed: 'la transferencia falla en una simulación',
    single_piece_token: 'un token ERC-721 tiene una unidad, así que la cantidad debe ser 1',
    token_limit_missing:
      'el token no tiene un límite en el contrato de entrega, que la emisión requiere',
    token_limit_reached: 'el token ha alcanzado su límite en el contrato de entrega',
    token_moved_nothing: 'el token aceptó la transferencia, pero no registró ninguna',
    token_not_deployed: 'el contrato del token no tiene código',
    token_not_supported: 'el contrato del token no es ERC-721 ni ERC-1155',
    token_not_transferable: 'el token no se puede transferir por ahora',
    transaction_not_found: 'la red no indica qué transacción usó la clave',
    transfer_failed: 'la transferencia falló en una transacción',
    transfer_without_effect:
      'tres transacciones no tuvieron efecto: un operador debe volver a intentarlo',
  },
}
