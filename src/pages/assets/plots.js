/** Shows the numbers of a column of a plot as a tooltip: below the pointer, or by the arrow keys. */
function addTooltip(area) {
  const drawing = area.querySelector('svg')
  const columns = [...drawing.querySelectorAll('.column')]
  const texts = columns.map((column) => {
    const title = column.querySelector('title')
    // The browser would show it as a second tooltip.
    title.remove()
    return title.textContent
  })
  const tip = document.createElement('p')
  tip.className = 'plot-tip'
  tip.setAttribute('role', 'status')
  area.append(tip)
  let shown = -1

  const show = (index) => {
    columns[shown]?.classList.remove('shown')
    shown = index
    columns[shown]?.classList.add('shown')
    tip.textContent = texts[shown] ?? ''
    const { left, width } = drawing.getBoundingClientRect()
    const middle =
      left - area.getBoundingClientRect().left + ((shown + 0.5) / columns.length) * width
    const half = tip.offsetWidth / 2
    tip.style.left = `${Math.max(half, Math.min(area.offsetWidth - half, middle))}px`
  }

  const keys = {
    ArrowLeft: () => Math.max(0, shown - 1),
    ArrowRight: () => Math.min(columns.length - 1, shown + 1),
    Home: () => 0,
    End: () => columns.length - 1,
    Escape: () => -1,
  }

  area.tabIndex = 0
  area.setAttribute('role', 'group')
  area.setAttribute('aria-label', 'Plot. The arrow keys read one column after the other.')
  area.addEventListener('keydown', (event) => {
    const next = keys[event.key]
    if (!next) return
    event.preventDefault()
    show(next())
  })
  area.addEventListener('focus', () => area.matches(':focus-visible') && show(columns.length - 1))
  area.addEventListener('blur', () => show(-1))
  drawing.addEventListener('pointermove', ({ target }) =>
    show(columns.indexOf(target.closest('.column'))),
  )
  drawing.addEventListener('pointerleave', () => show(-1))
  new ResizeObserver(() => show(shown)).observe(drawing)
}

function addTooltips() {
  for (const area of document.querySelectorAll('.plot-area')) addTooltip(area)
}

document.addEventListener('replaced', addTooltips)
addTooltips()
