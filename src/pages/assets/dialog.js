/** Opens and closes dialogs in browsers without invoker commands. */
if (!('commandForElement' in HTMLButtonElement.prototype))
  for (const button of document.querySelectorAll('button[commandfor]'))
    button.addEventListener('click', () => {
      const dialog = document.getElementById(button.getAttribute('commandfor'))
      if (button.getAttribute('command') === 'show-modal') dialog.showModal()
      else dialog.close()
    })
