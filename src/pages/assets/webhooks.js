/** Alarms can be chosen once the webhook gets all orders. */
const role = document.getElementById('role')
const alarms = document.querySelectorAll('input[name="events"][value^="alarm."]')
const hint = document.getElementById('alarms-hint')

function update() {
  const canBeChosen = role.value === 'master'
  for (const alarm of alarms) alarm.disabled = !canBeChosen
  if (hint) hint.hidden = canBeChosen
}

if (role) {
  role.addEventListener('change', update)
  update()
}
