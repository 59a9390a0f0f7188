/** Writes times in the zone of the browser, because the server knows UTC only. */
const { lang } = document.documentElement
const format = new Intl.DateTimeFormat(lang === 'en' ? 'en-GB' : lang, {
  dateStyle: 'long',
  timeStyle: 'medium',
})

function writeTimes() {
  for (const time of document.querySelectorAll('time')) {
    const text = format.format(new Date(time.dateTime))
    if (time.title) time.title = text
    else time.textContent = text
  }
}

writeTimes()
// Other scripts have replaced a part of the page.
document.addEventListener('replaced', writeTimes)
