/** Settings → Profile in a browser. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectAccessible } from './accessibility.ts'
import { hasChromium } from './chromium.ts'
import { aMarketplace, aPicture, type Marketplace, openAs } from './marketplace.ts'

/** The size of the picture in the header, and the colours at its left and right edge. */
const HEADER_PICTURE = `(async () => {
  const image = document.querySelector('.menu-button img')
  await image.decode()
  const { naturalWidth: width, naturalHeight: height } = image
  const context = new OffscreenCanvas(width, height).getContext('2d')
  context.drawImage(image, 0, 0)
  const colourAt = (x) => {
    const [red, , blue] = context.getImageData(x, height / 2, 1, 1).data
    return red > 200 && blue < 50 ? 'red' : blue > 200 && red < 50 ? 'blue' : 'other'
  }
  return [width, height, colourAt(20), colourAt(width - 20)].join(' ')
})()`

const headerPicture = (page: Page) => page.evaluate<string>(HEADER_PICTURE)

describe.skipIf(!hasChromium)('in a browser', () => {
  let marketplace: Marketplace
  let picture: Awaited<ReturnType<typeof aPicture>>

  beforeAll(async () => {
    marketplace = await aMarketplace()
    picture = await aPicture(marketplace)
  })
  afterAll(() => marketplace?.close())

  it('crops a picture by keyboard and uploads it', async () => {
    const page = await openAs(marketplace, 'crop@example.com')
    await page.goto('/settings/profile')
    await page.getByRole('button', { name: 'Upload' }).waitFor({ state: 'hidden' })
    await page.getByLabel('Picture file').setInputFiles(picture)
    const zoom = page.getByLabel('Zoom')
    await zoom.waitFor()
    expect(await zoom.evaluate('document.activeElement.name')).toBe('zoom')
    expect(await page.getByLabel('Vertical position').isDisabled()).toBe(true)
    await page.keyboard.press('Tab')
    await page.keyboard.press('Home')
    await page.keyboard.press('Enter')
    await page.getByText('Your new picture is saved.').waitFor()
    expect(await headerPicture(page)).toBe('512 512 red red')
  })

  it('crops a picture by dragging it', async () => {
    const page = await openAs(marketplace, 'drag@example.com')
    await page.goto('/settings/profile')
    await page.getByLabel('Picture file').setInputFiles(picture)
    const box = await page.getByRole('img', { name: 'as it is cropped' }).boundingBox()
    if (!box) throw new Error('the picture is not shown')
    await page.mouse.move(box.x + 200, box.y + 100)
    await page.mouse.down()
    await page.mouse.move(box.x + 10, box.y + 100, { steps: 10 })
    await page.mouse.up()
    await page.getByRole('button', { name: 'Save picture' }).click()
    await page.getByText('Your new picture is saved.').waitFor()
    expect(await headerPicture(page)).toBe('512 512 blue blue')
  })

  it('takes a dropped file, and sends a file as it is that the browser cannot decode', async () => {
    const page = await openAs(marketplace, 'drop@example.com')
    await page.goto('/settings/profile')
    const drop = (name: string, bytes: Buffer) =>
      page.evaluate(`(() => {
        const bytes = Uint8Array.from(atob('${bytes.toString('base64')}'), (c) => c.charCodeAt(0))
        const dataTransfer = new DataTransfer()
        dataTransfer.items.add(new File([bytes], '${name}'))
        const options = { dataTransfer, bubbles: true, cancelable: true }
        document.getElementById('avatar').dispatchEvent(new DragEvent('drop', options))
      })()`)
    await drop('picture.heic', Buffer.from('not a picture'))
    await page.getByText('The picture cannot be converted: send a JPEG').waitFor()
    await drop('picture.png', picture.buffer)
    await page.getByRole('button', { name: 'Cancel' }).click()
    await drop('picture.png', picture.buffer)
    await page.getByRole('button', { name: 'Save picture' }).click()
    await page.getByText('Your new picture is saved.').waitFor()
    expect(await headerPicture(page)).toBe('512 512 red blue')
  })

  it('is accessible in every state', async () => {
    const page = await openAs(marketplace, 'accessible@example.com', { reducedMotion: 'reduce' })
    const check = (name: string) => expectAccessible(page, name)
    await page.goto('/settings/profile')
    await page.getByLabel('Name', { exact: true }).fill('Ada Lovelace, Countess of Lovelace')
    await page.getByLabel('User name').fill('1')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Must be 3 to 30 characters').waitFor()
    await check('profile, wrong name')
    await page.getByLabel('URL of a picture').fill('https://10.0.0.1/picture.jpg')
    await page.getByRole('button', { name: 'Use picture' }).click()
    await page.getByText('Must point to a public host.').waitFor()
    await check('profile, wrong URL')
    await page.getByLabel('Picture file').setInputFiles(picture)
    await page.getByLabel('Zoom').fill('1.5')
    await check('profile, crop')
    const uploads = '**/updateAvatarBytes'
    const { promise: isCut, resolve: cut } = Promise.withResolvers<void>()
    await page.route(uploads, async (route) => {
      await isCut
      await route.abort()
    })
    await page.getByRole('button', { name: 'Save picture' }).click()
    await page.getByRole('progressbar', { name: 'Upload' }).waitFor()
    await check('profile, upload')
    cut()
    await page
      .getByText('This site did not answer: check your connection, then try again.')
      .waitFor()
    await check('profile, broken upload')
    await page.unroute(uploads)
    await page.getByRole('button', { name: 'Save picture' }).click()
    await page.getByText('Your new picture is saved.').waitFor()
    await check('profile, saved')
  }, 600_000)
})
