import { mkdirSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Site, type Visit } from './browser';

let site: Site;
let visits: Visit[] = [];

beforeAll(async () => {
  site = await Site.open();
});
afterAll(() => site.close());

/** Opens a place; what goes wrong there fails the test at its end. */
async function open(hash = '', prepare?: (page: Page) => Promise<void>): Promise<Page> {
  const visit = await site.visit(hash, prepare);
  visits.push(visit);
  return visit.page;
}

afterEach(async () => {
  const done = visits;
  visits = [];
  for (const { page, complaints, strangers } of done) {
    await page.close();
    expect(complaints).toEqual([]);
    expect(strangers).toEqual([]);
  }
});

const text = async (page: Page, id: string) =>
  ((await page.getByTestId(id).textContent()) ?? '').replace(/\s+/g, ' ').trim();

/** Waits until a figure of the page starts with something. */
async function reads(page: Page, id: string, start: string) {
  await expect.poll(() => text(page, id), { timeout: 20_000 }).toMatch(new RegExp(`^${start}`));
}

/** Waits until the lanes lab has run its program. */
async function idle(page: Page) {
  await page.locator('[aria-label=Run][aria-busy=false]').waitFor();
}

/** The lanes lab at a scenario, with all issues made. */
async function finished(scenario: string): Promise<Page> {
  const page = await open(`#/lanes?scenario=${scenario}`);
  await page.getByTestId('issues').waitFor();
  await page.keyboard.press('End');
  return page;
}

describe('Lanes', () => {
  it('shows seven issues and 71 % for half a warp each way', async () => {
    const page = await finished('02-divergent');
    await reads(page, 'issues', '7 of 7$');
    expect(await text(page, 'slots')).toBe('160 of 224');
    expect(await text(page, 'efficiency')).toBe('71 % 71.43 %');
    const masks = await page.locator('[role=row] .mask').allTextContents();
    const [all, low, high] = ['FFFFFFFF', '0000FFFF', 'FFFF0000'];
    expect(masks).toEqual([all, all, low, low, high, high, all]);
    const row = page.locator('[role=row]').nth(4);
    expect(await row.locator('.cells i.else').count()).toBe(16);
    expect(await row.locator('.cells i.idle').count()).toBe(16);
  });

  it.each([
    ['01-uniform', '5', '160 of 160', '100 %'],
    ['02-divergent', '7', '160 of 224', '71 %'],
    ['03-alternating', '7', '160 of 224', '71 %'],
    ['04-one-lane', '7', '160 of 224', '71 %'],
    // Four lanes of 32 do 20 lines and the others 2: 136 of 704 slots in each of 8 warps; with the
    // load and the branch, 8 x (136 + 64) of 8 x (704 + 64).
    ['08-filter', '192', '1 600 of 6 144', '26 %'],
  ])('has the exact figures of %s', async (scenario, issues, slots, efficiency) => {
    const page = await finished(scenario);
    await reads(page, 'issues', `${issues} of ${issues}$`);
    expect(await text(page, 'slots')).toBe(slots);
    expect(await text(page, 'efficiency')).toMatch(new RegExp(`^${efficiency}`));
  });

  it('keeps whole warps together where only warps differ', async () => {
    const page = await finished('05-warp-uniform');
    await expect.poll(() => text(page, 'efficiency'), { timeout: 20_000 }).toBe('100 % 100.00 %');
  });

  it('steps back to the very state that was before', async () => {
    const page = await open('#/lanes?scenario=02-divergent');
    await reads(page, 'issues', '0 of 7$');
    await page.locator('.panels').waitFor();
    const picture = () => page.locator('.panels, .figures').allInnerTexts();
    const states: string[][] = [await settled(page, picture)];
    for (let issue = 1; issue <= 7; issue++) {
      await page.getByRole('button', { name: 'Step', exact: false }).click();
      await reads(page, 'issues', `${issue} of 7$`);
      states.push(await settled(page, picture));
    }
    expect(new Set(states.map(String)).size).toBe(8);
    for (let issue = 6; issue >= 0; issue--) {
      await page.getByRole('button', { name: 'Back', exact: false }).first().click();
      await reads(page, 'issues', `${issue} of 7$`);
      expect(await settled(page, picture)).toEqual(states[issue]);
    }
  });

  it('shows where lanes wait, and what they hold', async () => {
    const page = await open('#/lanes?scenario=02-divergent&at=5');
    await reads(page, 'issues', '5 of 7$');
    const stack = page.getByRole('list', { name: /Reconvergence stack/ });
    await expect.poll(() => stack.innerText()).toMatch(/meet at line 16/);
    await expect.poll(() => stack.innerText()).toMatch(/arrived\s+line 16\s+0000FFFF/);
    // x of lane 15 is 2 x 15 + 1, of lane 16 3 x 16.
    const x = await page.getByRole('row', { name: /^x int/ }).locator('td').allTextContents();
    expect([x[15], x[16]]).toEqual(['31', '48']);
  });

  it('is restored by a shared link, an own program included', async () => {
    const page = await open('#/lanes?scenario=02-divergent');
    await reads(page, 'issues', '0 of 7$');
    await page.getByLabel(/^Condition/).fill('i < 8');
    await expect.poll(() => page.url()).toMatch(/text=/);
    await idle(page);
    for (let k = 1; k <= 4; k++) {
      await page.getByRole('button', { name: 'Step', exact: false }).click();
      await reads(page, 'issues', `${k} of 7$`);
    }
    expect(await text(page, 'mask')).toBe('000000FF');
    const other = await open(new URL(page.url()).hash);
    await reads(other, 'issues', '4 of 7$');
    expect(await text(other, 'mask')).toBe('000000FF');
    expect(await other.getByLabel(/^Condition/).inputValue()).toBe('i < 8');
  });

  it('says where a program is wrong, and goes on when it is mended', async () => {
    const page = await open('#/lanes?scenario=02-divergent');
    await reads(page, 'issues', '0 of 7$');
    await page.getByLabel(/^Condition/).fill('i < y');
    const alert = page.getByRole('alert');
    await expect.poll(() => alert.innerText(), { timeout: 20_000 }).toMatch(/line 9:.*y/);
    expect(await page.locator('.cm-lintRange-error').innerText()).toBe('y');
    await page.getByLabel(/^Condition/).fill('i < 16');
    await reads(page, 'issues', '0 of 7$');
    expect(await alert.count()).toBe(0);
  });

  it('is used by keyboard alone', async () => {
    const page = await open('#/lanes?scenario=02-divergent');
    await reads(page, 'issues', '0 of 7$');
    await page.keyboard.press('ArrowRight');
    await reads(page, 'issues', '1 of 7$');
    await page.keyboard.press('End');
    await reads(page, 'issues', '7 of 7$');
    await page.keyboard.press('ArrowLeft');
    await reads(page, 'issues', '6 of 7$');
    await page.keyboard.press('Home');
    await reads(page, 'issues', '0 of 7$');
    // The first stop is the way past the head; from there on every control is reached in turn.
    await page.keyboard.press('Tab');
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Skip to the lab');
    await page.keyboard.press('Enter');
    const names: string[] = [];
    for (let k = 0; k < 12; k++) {
      await page.keyboard.press('Tab');
      names.push(
        await page.evaluate(() => {
          const element = document.activeElement;
          return `${element?.tagName} ${element?.getAttribute('aria-label') ?? element?.textContent ?? ''}`;
        }),
      );
    }
    // Not caught in the editor, and the stepping buttons come after it.
    expect(names.some((name) => name.includes('Program in the lesson language'))).toBe(true);
    expect(names.some((name) => name.startsWith('BUTTON Step'))).toBe(true);
  });

  it.each([4, 8, 16, 64])('has warps of %i lanes', async (lanes) => {
    const page = await open('#/lanes?scenario=03-alternating');
    await page.getByTestId('issues').waitFor();
    await page.getByLabel('Warp width').selectOption(String(lanes));
    await expect
      .poll(async () => {
        await page.keyboard.press('End');
        return page.locator('[role=row].current .cells i').count();
      }, { timeout: 20_000 })
      .toBe(lanes);
  });

  it('shows counters and barriers of independent threads', async () => {
    const page = await open('#/lanes?scenario=02-divergent&divergence=its&at=5');
    await reads(page, 'issues', '5 of 7$');
    const counters = page.getByRole('img', { name: 'The line at which each lane stands' });
    await expect.poll(async () => (await counters.innerText()).split(/\s+/)).toEqual([
      ...Array(16).fill('16'),
      ...Array(16).fill('14'),
    ]);
  });

  it('steps a PTX kernel', async () => {
    const page = await finished('ptx-abs-diff');
    await reads(page, 'issues', '11 of 11$');
    const out = await page.getByRole('row', { name: /^out u32/ }).locator('td').allTextContents();
    expect(out).toEqual(Array.from({ length: 32 }, (_, i) => String(Math.abs(i - 8))));
  });

  it('opens the programs of a folder that is served', async () => {
    const page = await open('', async (page) => {
      await page.route('**/api/files', (route) => route.fulfill({ json: [{ path: 'deep/own.simt', bytes: 30 }] }));
      await page.route('**/api/file?path=*', (route) => route.fulfill({ body: 'threads 32\nx = i\ny = x + 1\n' }));
      // What the server writes into the page's head.
      await page.route(
        (url) => url.pathname === '/',
        async (route) => {
          const index = await (await route.fetch()).text();
          const mark = '<meta name="warploom-files" content="yes" />';
          await route.fulfill({ contentType: 'text/html', body: index.replace('<head>', `<head>${mark}`) });
        },
      );
    });
    const program = page.getByRole('combobox', { name: /^Program/ });
    await expect.poll(() => program.locator('optgroup option').allInnerTexts(), { timeout: 20_000 }).toEqual(['deep/own.simt']);
    await program.selectOption('file:deep/own.simt');
    await reads(page, 'issues', '0 of 2$');
    await expect.poll(() => page.url()).toMatch(/scenario=file%3Adeep%2Fown\.simt/);
  });

  it('draws two runs beside each other', async () => {
    const page = await open('#/lanes?scenario=08-filter');
    await page.getByText('Side by side').click();
    // Sorted, one warp of eight passes whole: 20 lines once and 2 seven times, and 2 x 8 common.
    await expect.poll(() => page.locator('figcaption').allInnerTexts(), { timeout: 20_000 }).toEqual([
      expect.stringContaining('192 issues'),
      expect.stringContaining('50 issues'),
    ]);
  });
});

describe('Latency', () => {
  it('has the steady state of each scheduler beside the closed form', async () => {
    const page = await open('#/latency');
    await reads(page, 'utilization', '90.15 %$');
    expect(await text(page, 'ideal')).toBe('100.00 %');
    expect(await text(page, 'warps')).toBe('16 of 16 needed');
    const curve = page.getByRole('img', { name: 'Utilization from 1 to 16 warps; at 16: 90.15\u00a0%' });
    await curve.waitFor();
    await page.getByRole('combobox', { name: /^Scheduler/ }).selectOption('lrr');
    await reads(page, 'utilization', '59.65 %$');
    await page.getByRole('combobox', { name: /^Scheduler/ }).selectOption('two-level');
    await reads(page, 'utilization', '100.00 %$');
  });

  it.each([
    ['One warp, once', '4 in 11'],
    ['Four warps, once', '16 in 20'],
    ['Seven warps, once', '28 in 29'],
    ['Eight warps, once', '32 in 32'],
  ])('counts %s', async (scenario, cycles) => {
    const page = await open('#/latency');
    await page.getByRole('button', { name: scenario }).click();
    await reads(page, 'once', `${cycles}$`);
  });

  it('is capped by registers', async () => {
    const page = await open('#/latency?registers=33');
    await reads(page, 'utilization', '86.93 %$');
    expect(await text(page, 'warps')).toBe('15 of 16 needed');
    const registers = page.getByRole('slider', { name: /^Registers per thread/ });
    await registers.focus();
    await page.keyboard.press('ArrowLeft');
    await reads(page, 'utilization', '90.15 %$');
    await expect.poll(() => page.url()).toMatch(/registers=32/);
  });

  it('judges answers by running the machine', async () => {
    const page = await open('#/latency');
    await reads(page, 'utilization', '90.15 %$');
    await page.getByLabel('Your answer, in registers').fill('33');
    await page.keyboard.press('Enter');
    const verdict = page.locator('.verdict');
    await expect.poll(() => verdict.first().innerText(), { timeout: 20_000 }).toMatch(/^Right\..*33: 15 warps, 86\.93 %/s);
    await page.getByRole('button', { name: 'down', exact: true }).click();
    await expect.poll(() => verdict.nth(1).innerText()).toMatch(/^Not quite\..*98\.37 %.*51\.52 %.*50\.68 %/s);
    await reads(page, 'utilization', '98.37 %$');
    await page.getByLabel('Your answer, in %').fill('40');
    await page.keyboard.press('Enter');
    await expect.poll(() => verdict.nth(2).innerText()).toMatch(/^Right\. 40\.35 %/);
  });
});

describe('Occupancy', () => {
  it('has the exact residency on both sides of a cliff', async () => {
    const page = await open('#/occupancy?device=v100&threads=512&regs=64');
    await reads(page, 'residency', '2 blocks, 32 of 64 warps');
    expect(await text(page, 'occupancy')).toBe('50.0 %');
    const registers = page.getByLabel('Registers per thread', { exact: true });
    await registers.focus();
    await page.keyboard.press('ArrowRight');
    await reads(page, 'residency', '1 block, 16 of 64 warps');
    await expect.poll(() => page.url()).toMatch(/regs=65/);
  });

  it('says what a block that never fits asks for', async () => {
    const page = await open('#/occupancy?device=v100&threads=1024&regs=128');
    await expect.poll(() => page.getByRole('alert').innerText(), { timeout: 20_000 }).toMatch(/Does not run/);
  });
});

describe('Memory', () => {
  it.each([
    ['Side by side', '4 of 4 at best', '100.0 %', '1 of 1 at best'],
    ['Every second word', '8 of 4 at best', '50.0 %', '2 of 1 at best'],
    ['Down a column', '32 of 4 at best', '12.5 %', '32 of 1 at best'],
    ['Column with padding', '32 of 4 at best', '12.5 %', '1 of 1 at best'],
    ['Column with a swizzle', '32 of 4 at best', '12.5 %', '1 of 1 at best'],
    ['Vectors of 16 bytes', '16 of 16 at best', '100.0 %', '4 of 4 at best'],
  ])('costs %s', async (pattern, sectors, efficiency, passes) => {
    const page = await open('#/memory');
    await page.getByTestId('sectors').waitFor();
    await page.getByRole('button', { name: pattern }).click();
    await reads(page, 'passes', `${passes}$`);
    expect(await text(page, 'sectors')).toBe(sectors);
    expect(await text(page, 'efficiency')).toBe(efficiency);
  });

  it('takes a formula of its own, and says what is wrong with it', async () => {
    const page = await open('#/memory');
    const formula = page.getByLabel(/^Byte address/);
    await formula.fill('lane * 4 +');
    await expect.poll(() => page.getByRole('alert').innerText(), { timeout: 20_000 }).not.toBe('');
    await formula.fill('lane % 4 * 4');
    await reads(page, 'sectors', '1 of 1 at best$');
    const other = await open(new URL(page.url()).hash);
    await reads(other, 'sectors', '1 of 1 at best$');
  });

  it('shows the memories of a chip, with sources', async () => {
    const page = await open('#/memory?device=v100');
    const l2 = page.getByRole('row', { name: /^L2/ });
    await expect.poll(() => l2.innerText(), { timeout: 20_000 }).toMatch(/6\sMiB/);
    await l2.locator('.sourced').first().focus();
    expect(await l2.getByRole('tooltip').first().isVisible()).toBe(true);
    expect(await l2.getByRole('tooltip').first().innerText()).toMatch(/memory\.l2_bytes/);
  });
});

describe('Chips', () => {
  it('compares figures, searched and cut down', async () => {
    const page = await open('#/chips?devices=v100,h100');
    await expect.poll(() => page.getByRole('row', { name: /^sms/ }).locator('td').allInnerTexts(), { timeout: 20_000 })
      .toEqual([expect.stringMatching(/^80/), expect.stringMatching(/^132/)]);
    await page.getByRole('button', { name: 'mi300x', exact: true }).click();
    await expect.poll(() => page.getByRole('row', { name: /^sms/ }).locator('td').count()).toBe(3);
    await page.getByLabel('Search').fill('l2 cache');
    await expect.poll(() => page.getByRole('row', { name: /^sms/ }).count()).toBe(0);
    await expect.poll(() => page.url()).toMatch(/devices=v100%2Ch100%2Cmi300x/);
  });
});

describe('Learn', () => {
  it('has the right answer to each of its questions', async () => {
    const page = await open('#/learn');
    const answers: [string, string, RegExp][] = [
      ['grid', '4', /^Right\. 100 threads are 4 warps/],
      ['mask', '7', /^Right\. 7:/],
      ['latency', '8', /^Right\. 7 warps: 28 issues in 29 cycles; 8 warps: 32 issues in 32 cycles/],
      ['occupancy', '1', /^Right\. 1\. .*rounded up to 2304/],
      ['memory', '16', /^Right\. 16: .* 128 of 512 bytes .* 25 %/],
      ['roofline', '0.34', /^Right\. 0\.34 %/],
    ];
    for (const [chapter, answer, verdict] of answers) {
      const part = page.locator(`#${chapter}`);
      await part.getByRole('textbox').fill(answer);
      await page.keyboard.press('Enter');
      await expect.poll(() => part.getByRole('status').innerText(), { timeout: 20_000 }).toMatch(verdict);
    }
    await page.locator('#mask').getByRole('textbox').fill('5');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.locator('#mask').getByRole('status').innerText()).toMatch(/^Not quite\./);
  });

  it('leads into the labs', async () => {
    const page = await open('#/learn?part=latency');
    await page.getByRole('link', { name: 'Four warps, and the gap they leave' }).click();
    await reads(page, 'once', '16 in 20$');
  });
});

describe('every lab', () => {
  /** A place in each, and a figure that is there once the lab is. */
  const labs: [string, string][] = [
    ['lanes?scenario=02-divergent&at=5', 'mask'],
    ['latency', 'utilization'],
    ['occupancy', 'occupancy'],
    ['memory', 'sectors'],
    ['roofline', 'attainable'],
    ['chips', 'chip'],
    ['learn', 'learn'],
  ];

  it.each(labs)('%s fits its window and has a title', async (lab, figure) => {
    const page = await open(`#/${lab}`);
    await page.getByTestId(figure).first().waitFor();
    for (const width of [1280, 800, 390]) {
      await page.setViewportSize({ width, height: 900 });
      await page.waitForTimeout(150);
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      expect(overflow, `at ${width}`).toBeLessThanOrEqual(0);
      await picture(page, `${lab.split('?')[0]}-${width}`);
    }
    expect(await page.title()).toMatch(/· Warploom$/);
    const unnamed = await page.evaluate(() =>
      [...document.querySelectorAll('button, input, select, [role=img]')]
        .filter((element) => {
          const labelled = (element as HTMLInputElement).labels?.length ?? 0;
          const name = element.getAttribute('aria-label') ?? element.textContent?.trim();
          return labelled === 0 && !name;
        })
        .map((element) => element.outerHTML.slice(0, 120)),
    );
    expect(unnamed).toEqual([]);
  });

  it('is there in the dark', async () => {
    const page = await open('#/lanes?scenario=06-nested&at=8');
    await reads(page, 'issues', '8 of');
    await page.getByRole('button', { name: /^Theme/ }).click();
    await page.getByRole('button', { name: /^Theme/ }).click();
    expect(await page.evaluate(() => document.documentElement.dataset.theme)).toBe('dark');
    await picture(page, 'lanes-dark');
  });
});

/** What a view says once it no longer changes. */
async function settled(page: Page, view: () => Promise<string[]>): Promise<string[]> {
  let last = await view();
  for (let k = 0; k < 40; k++) {
    await page.waitForTimeout(60);
    const now = await view();
    if (String(now) === String(last) && k > 1) return now;
    last = now;
  }
  return last;
}

/** Keeps a picture for people to look at, where a folder is named. */
async function picture(page: Page, name: string) {
  const folder = process.env.SCREENSHOTS;
  if (!folder) return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
}
