// Who can use the console: by keyboard alone, with a screen reader, in each theme and size; what data cannot do to it.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, before } from 'node:test';
import { launch, openPage, startServer, tableInput, test } from './support.mjs';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const EVIL = '"><img src=x onerror="document.title=\'owned\'"><script>document.title="owned"</script>';
const VIEWS = ['#/', '#/tables/orders', '#/tables/orders/indexes/by-day', '#/tables/orders/items', '#/time'];
let server, browser;

before(async () => {
  server = await startServer('--preset', 'laptop');
  browser = await launch();
  await server.dynamo(
    'CreateTable',
    tableInput('orders', {
      BillingMode: 'PROVISIONED',
      ProvisionedThroughput: { ReadCapacityUnits: 20, WriteCapacityUnits: 10 },
      AttributeDefinitions: ['pk', 'sk', 'day'].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
      GlobalSecondaryIndexes: [
        {
          IndexName: 'by-day',
          Projection: { ProjectionType: 'ALL' },
          ProvisionedThroughput: { ReadCapacityUnits: 20, WriteCapacityUnits: 200 },
          KeySchema: [{ AttributeName: 'day', KeyType: 'HASH' }],
        },
      ],
    }),
  );
  await server.control('POST', 'faults', {
    match: { operation: 'PutItem', table: EVIL },
    inject: { error: 'InternalServerError', message: EVIL },
  });
  for (let i = 0; i < 3100; i += 1) {
    await server.dynamo('PutItem', {
      TableName: 'orders',
      Item: {
        pk: { S: i % 3 === 0 ? `k${i}` : EVIL },
        sk: { S: i % 2 === 0 ? EVIL : `${i}` },
        day: { S: EVIL },
        [EVIL]: { S: EVIL },
        deep: { M: { [EVIL]: { L: [{ S: EVIL }] } } },
      },
    });
  }
  /* the keys of the last two minutes stay, however slow the browser is */
  await server.control('PUT', 'clock', { mode: 'manual' });
});
after(async () => {
  await browser.close();
  await server.stop();
});

/** A page in a view that has all that it shows. */
async function settle(page, hash) {
  await page.go(hash);
  if (hash.includes('items')) await page.locator('table.items').waitFor();
  else if (hash.includes('tables/'))
    await Promise.all([
      page.locator('.advice li').first().waitFor({ state: 'attached' }),
      page.locator('.keys tbody tr').first().waitFor(),
    ]);
  else if (hash === '#/') await page.getByRole('link', { name: 'orders', exact: true }).waitFor();
  else await page.locator('.setting').first().waitFor();
  await page.waitForTimeout(300);
}

for (const colorScheme of ['light', 'dark']) {
  for (const [width, height] of [
    [1440, 900],
    [390, 844],
  ]) {
    test(`axe-core finds nothing in any view (${colorScheme}, ${width} × ${height})`, async () => {
      const page = await openPage(browser, server, { width, height, colorScheme });
      for (const hash of VIEWS) {
        await settle(page, hash);
        const found = await lookWithAxe(page);
        assert.deepEqual(found, [], hash);
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.ok(overflow <= 0, `${hash} is ${overflow} pixels too wide`);
      }
      await page.go('#/tables/orders/items');
      await page.locator('table.items button').first().click();
      assert.deepEqual(await lookWithAxe(page), [], 'an item');
      assert.deepEqual(page.faults, []);
      await page.context().close();
    });
  }
}

async function lookWithAxe(page) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() =>
    window.axe.run(document, {
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
    }),
  );
  return violations.map(
    (each) =>
      `${each.impact} ${each.id}: ${each.nodes
        .map((node) => `${node.html.slice(0, 120)} ${node.any[0]?.message ?? ''}`)
        .slice(0, 3)
        .join(' | ')}`,
  );
}

test('360 pixels are enough', async () => {
  const page = await openPage(browser, server, { width: 360, height: 640 });
  for (const hash of VIEWS) {
    await settle(page, hash);
    const wide = await page.evaluate(() =>
      [...document.querySelectorAll('body *')]
        .filter(
          (element) => !element.closest('.list-head, .scroll') && element.getBoundingClientRect().right > innerWidth,
        )
        .map((element) => element.outerHTML.slice(0, 100)),
    );
    assert.deepEqual(wide, [], hash);
    const cut = await page.evaluate(() =>
      [...document.querySelectorAll('.setting .mono, .usage-text, .cell-refused, .cell-name')]
        .filter((element) => element.scrollWidth > element.clientWidth)
        .map((element) => element.textContent),
    );
    assert.deepEqual(cut, [], hash);
  }
  await page.context().close();
});

/** Walks through the page by Tab alone; answers what never had the focus, and what had it without showing it. */
async function walk(page) {
  return page
    .evaluate(() => {
      window.walked = new Set();
      window.unseen = [];
    })
    .then(async () => {
      for (let i = 0; i < 400; i += 1) {
        await page.keyboard.press('Tab');
        const state = await page.evaluate(() => {
          const element = document.activeElement;
          if (element === document.body || window.walked.has(element))
            return element === document.body ? 'end' : 'again';
          window.walked.add(element);
          const box = element.getBoundingClientRect();
          const style = getComputedStyle(element);
          const isSeen =
            box.width > 0 &&
            box.bottom > 0 &&
            box.top < innerHeight &&
            style.outlineStyle !== 'none' &&
            parseFloat(style.outlineWidth) >= 1;
          if (!isSeen)
            window.unseen.push(`${element.outerHTML.slice(0, 100)} ${JSON.stringify(box)} ${style.outline}`);
          return 'on';
        });
        if (state !== 'on') break;
      }
      return page.evaluate(() => {
        const wanted = [
          ...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex="0"]'),
        ].filter((element) => !element.disabled && element.checkVisibility());
        return {
          missed: wanted
            .filter((element) => !window.walked.has(element))
            .map((element) => element.outerHTML.slice(0, 120)),
          unseen: window.unseen,
        };
      });
    });
}

test('everything in every view is reached by Tab, and the focus is seen', async () => {
  const page = await openPage(browser, server);
  for (const hash of VIEWS) {
    await settle(page, hash);
    await page.reload();
    await settle(page, hash);
    const { missed, unseen } = await walk(page);
    assert.deepEqual(missed, [], hash);
    assert.deepEqual(unseen, [], hash);
  }
  await page.context().close();
});

test('a day at work by keyboard alone: from the tables to a partition, an item, and the clock', async () => {
  const page = await openPage(browser, server);
  await settle(page, '#/');
  const press = async (...keys) => {
    for (const key of keys) await page.keyboard.press(key);
  };
  const isOn = async (name) => {
    const focused = await page.evaluate(() =>
      (document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent).trim(),
    );
    return name instanceof RegExp ? name.test(focused) : focused === name;
  };
  const tabTo = async (name) => {
    for (let i = 0; i < 120 && !(await isOn(name)); i += 1) await press('Tab');
    assert.ok(await isOn(name), `Tab leads to ${name}`);
  };
  await press('Tab', 'Enter');
  await tabTo('orders');
  await press('Enter');
  await page.locator('.heat-canvas[data-columns]').waitFor();
  await tabTo('Read');
  await press('Space');
  await page.locator('.heat-canvas[data-metric="read"]').waitFor();
  await tabTo('Zoom in');
  await press('Enter');
  await page.waitForFunction(() => document.querySelector('.follows').dataset.live === 'false');
  await tabTo(/^Split p-/);
  await press('Enter');
  await page
    .getByText(/^p-\d+ is now /)
    .first()
    .waitFor();
  await page.keyboard.press('Home');
  await page.evaluate(() => document.getElementById('main').focus());
  await tabTo('Items');
  await press('Enter');
  await page.locator('table.items').waitFor();
  await page.evaluate(() => document.getElementById('main').focus());
  await tabTo('Next');
  await press('Enter');
  await page.getByText(/^Scan: page 2/).waitFor();
  await server.control('PUT', 'clock', { mode: 'real' });
  await page.evaluate(() => document.getElementById('clock').focus());
  await press('Enter');
  await tabTo('Stand still');
  await press('Space');
  await page.getByText('Time stands still, and moves only when told.').waitFor();
  await tabTo('+ 1 min');
  await press('Enter');
  await page.context().close();
});

test('what stands in data is text: in keys, values, names, advice, faults', async () => {
  const page = await openPage(browser, server);
  for (const hash of VIEWS) {
    await settle(page, hash);
    assert.equal(await page.evaluate(() => document.querySelectorAll('main img, main script').length), 0, hash);
    assert.doesNotMatch(await page.title(), /owned/, hash);
  }
  await page.go('#/tables/orders');
  await page.locator('.keys').getByText('onerror=').first().waitFor();
  await page.go('#/tables/orders/items');
  await page.locator('table.items').getByText('onerror=').first().waitFor();
  await page.locator('table.items tbody button').first().click();
  await page.getByRole('dialog').getByText('onerror=').first().waitFor();
  await page.getByRole('button', { name: 'Plain JSON' }).click();
  await page.keyboard.press('Escape');
  await page.go('#/time');
  await page.getByRole('rowheader', { name: /PutItem on .*onerror=/ }).waitFor();
  await page.go(`#/tables/${encodeURIComponent(EVIL)}`);
  await page.getByRole('alert').filter({ hasText: 'no table' }).waitFor();
  assert.equal(await page.evaluate(() => document.querySelectorAll('main img, main script').length), 0);
  assert.doesNotMatch(await page.evaluate(() => document.title), /^owned/);
  assert.deepEqual(
    page.faults.filter((fault) => !/status of 40[04]/.test(fault)),
    [],
  );
  await page.context().close();
});

test('whoever wants less motion gets none', async () => {
  const page = await openPage(browser, server, { reducedMotion: 'reduce' });
  await settle(page, '#/tables/orders/items');
  assert.equal(await page.evaluate(() => document.getAnimations().length), 0);
  const duration = await page.evaluate(
    () => getComputedStyle(document.querySelector('.switch input'), '::after').transitionProperty,
  );
  assert.equal(duration, 'none');
  await page.context().close();
});
