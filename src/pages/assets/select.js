/** Adds a checkbox that selects all transfers of the page. */
function addSelectAll() {
  const bar = document.querySelector('.bulk')
  const boxes = () => [...document.querySelectorAll('[name="id"]')]
  if (!bar || boxes().length === 0) return
  const all = Object.assign(document.createElement('input'), { type: 'checkbox' })
  const text = document.createElement('span')
  const label = document.createElement('label')
  label.className = 'check'
  label.append(all, text)
  bar.prepend(label)
  const update = () => {
    const checked = boxes().filter((box) => box.checked).length
    all.checked = checked === boxes().length
    all.indeterminate = checked > 0 && !all.checked
    text.textContent = checked > 0 ? `${checked} selected` : 'Select this page'
  }
  all.addEventListener('change', () => {
    for (const box of boxes()) box.checked = all.checked
    update()
  })
  bar.closest('form').addEventListener('change', update)
  update()
}

document.addEventListener('replaced', addSelectAll)
addSelectAll()
