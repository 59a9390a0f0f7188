/**
 * Lets the user crop a picture to a square and uploads it. A file that the browser cannot decode,
 * such as HEIC in most of them, is uploaded as it is.
 */
import { refusalOf, translate } from './texts.js'

const fileForm = document.getElementById('avatar-file')
const crop = document.getElementById('avatar-crop')
const urlForm = document.getElementById('avatar-url')
const panel = document.getElementById('picture')
const otherSource = document.getElementById('other-source')
const fileField = fileForm.elements.avatar
const canvas = crop.querySelector('canvas')
const context = canvas.getContext('2d')
const { zoom, x, y } = crop.elements
const [saveButton, cancelButton] = crop.querySelectorAll('button')
const progress = panel.querySelector('progress')
const status = panel.querySelector('[role="status"]')
const problem = panel.querySelector('[role="alert"]')

/** The decoded picture. */
let picture

fileForm.querySelector('button').hidden = true
document.getElementById('drop-hint').hidden = false

fileField.addEventListener('change', () => choose(fileField.files[0]))

for (const type of ['dragenter', 'dragover'])
  fileForm.addEventListener(type, (event) => {
    event.preventDefault()
    fileForm.classList.add('over')
  })
fileForm.addEventListener('dragleave', ({ relatedTarget }) => {
  if (!fileForm.contains(relatedTarget)) fileForm.classList.remove('over')
})
fileForm.addEventListener('drop', (event) => {
  event.preventDefault()
  fileForm.classList.remove('over')
  choose(event.dataTransfer.files[0])
})

async function choose(file) {
  if (!file) return
  problem.textContent = ''
  try {
    picture = await createImageBitmap(file)
  } catch {
    send(file)
    return
  }
  crop.reset()
  showCrop(true)
  draw()
  zoom.focus()
}

function showCrop(isShown) {
  crop.hidden = !isShown
  fileForm.hidden = isShown
  otherSource.hidden = isShown
}

/** The square to cut out, in pixels of the picture, and the space around it. */
function square() {
  const side = Math.min(picture.width, picture.height) / zoom.value
  const space = { x: picture.width - side, y: picture.height - side }
  return { side, space, left: (space.x * x.value) / 100, top: (space.y * y.value) / 100 }
}

function draw() {
  const { side, space, left, top } = square()
  x.disabled = space.x < 1
  y.disabled = space.y < 1
  // The server makes transparent pixels white, too.
  context.fillStyle = '#fff'
  context.fillRect(0, 0, canvas.width, canvas.height)
  context.imageSmoothingQuality = 'high'
  context.drawImage(picture, left, top, side, side, 0, 0, canvas.width, canvas.height)
}

crop.addEventListener('input', draw)

canvas.addEventListener('pointerdown', (event) => canvas.setPointerCapture(event.pointerId))
canvas.addEventListener('pointermove', (event) => {
  if (!canvas.hasPointerCapture(event.pointerId)) return
  const { side, space } = square()
  const scale = (100 * side) / canvas.clientWidth
  if (space.x >= 1) x.value -= (event.movementX * scale) / space.x
  if (space.y >= 1) y.value -= (event.movementY * scale) / space.y
  draw()
})

cancelButton.addEventListener('click', () => {
  showCrop(false)
  problem.textContent = ''
  fileForm.reset()
  fileField.focus()
})

crop.addEventListener('submit', (event) => {
  event.preventDefault()
  canvas.toBlob(send, 'image/jpeg', 0.92)
})

/** Uploads bytes with XMLHttpRequest, because `fetch` reports no progress. */
function send(bytes) {
  const request = new XMLHttpRequest()
  request.responseType = 'json'
  request.upload.addEventListener('progress', ({ loaded, total }) => {
    progress.value = loaded / total
    const percent = Math.round((100 * loaded) / total)
    status.textContent =
      loaded < total ? translate('Uploading: {percent} %', { percent }) : translate('Converting…')
  })
  request.addEventListener('load', () => {
    if (request.status === 200) location.assign('/settings/profile?notice=picture-saved')
    else if (request.status === 401) location.assign('/sign-in?redirect=/settings/profile')
    else fail(refusalOf(request.response ?? {}))
  })
  request.addEventListener('error', () =>
    fail(translate('This site did not answer: check your connection, then try again.')),
  )
  setBusy(true)
  request.open('PUT', '/api/public/user/me/profile/updateAvatarBytes')
  request.setRequestHeader('content-type', bytes.type || 'application/octet-stream')
  request.send(bytes)
}

function fail(message) {
  setBusy(false)
  problem.textContent = message
  if (crop.hidden) fileForm.reset()
}

function setBusy(isBusy) {
  panel.setAttribute('aria-busy', String(isBusy))
  saveButton.disabled = isBusy
  cancelButton.disabled = isBusy
  fileField.disabled = isBusy
  progress.hidden = !isBusy
  progress.value = 0
  problem.textContent = ''
  status.textContent = isBusy ? translate('Uploading…') : ''
}

urlForm.addEventListener('submit', () => setDownloading(true))
// A page from the history of the browser is as it was left.
addEventListener('pageshow', () => setDownloading(false))

const urlButton = urlForm.querySelector('button')
const urlLabel = urlButton.textContent

function setDownloading(isBusy) {
  urlButton.disabled = isBusy
  urlButton.textContent = isBusy ? translate('Downloading…') : urlLabel
}
