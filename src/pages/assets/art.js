/**
 * Removes art that cannot be had, in whose place the server sends a transparent pixel. The drawing
 * below it is then shown as it is, and not as the ground of a picture.
 */
for (const image of document.querySelectorAll('.whole > img')) {
  const check = () => image.naturalWidth <= 1 && image.remove()
  if (image.complete) check()
  else image.addEventListener('load', check)
}
