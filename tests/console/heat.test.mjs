// The heat map: what its pixels say of traffic made here, with time standing still and while it runs.
import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { launch, openPage, startLoad, startServer, tableInput, test } from './support.mjs';

const ROWS = 64;
let server, browser, page;

before(async () => {
  server = await startServer();
  browser = await launch();
  await server.control('PUT', 'clock', { mode: 'manual' });
  await server.dynamo(
    'CreateTable',
    tableInput('orders', {
      AttributeDefinitions: ['pk', 'sk', 'day'].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
      GlobalSecondaryIndexes: [
        {
          IndexName: 'by-day',
          Projection: { ProjectionType: 'KEYS_ONLY' },
          KeySchema: [{ AttributeName: 'day', KeyType: 'HASH' }],
        },
      ],
    }),
  );
  for (let second = 0; second < 20; second += 1) {
    for (let i = 0; i < 40; i += 1) await put('hot', `${i}`);
    for (let i = 0; i < 16; i += 1) await put(`cold-${second}-${i}`, '0');
    await server.control('POST', 'clock/advance', { ms: 1000 });
  }
  page = await openPage(browser, server);
});
after(async () => {
  await browser.close();
  await server.stop();
  assert.deepEqual(page.faults, []);
});

const put = (pk, sk, day = 'monday') =>
  server.dynamo('PutItem', { TableName: 'orders', Item: { pk: { S: pk }, sk: { S: sk }, day: { S: day } } });

async function hotRow(metric = 'write', index = '') {
  const { keys } = await server.control('GET', `hotkeys?table=orders&metric=${metric}${index && `&index=${index}`}`);
  return { row: Number(BigInt(`0x${keys[0].hash}`) >> 58n), key: keys[0] };
}

/** How hot each row looks, 0 to 255 by the page's own colours, in a column; null: nothing. The last column is the
 * present second, and 2 the last whole one. */
function rowsSeen(back = 3) {
  return page.evaluate(
    async ([rows, back]) => {
      const { heatRamp, isDark } = await import('/_thermodyn/scale.js');
      const ramp = heatRamp(isDark());
      const canvas = document.querySelector('.heat-canvas');
      const copy = new OffscreenCanvas(canvas.width, canvas.height);
      const picture = copy.getContext('2d', { willReadFrequently: true });
      picture.drawImage(canvas, 0, 0);
      const plot = JSON.parse(canvas.dataset.plot);
      const ratio = canvas.width / canvas.clientWidth;
      const columns = Number(canvas.dataset.columns);
      const x = Math.floor((plot.x + ((columns - back + 0.5) / columns) * plot.width) * ratio);
      return Array.from({ length: rows }, (_, row) => {
        const y = Math.floor((plot.y + ((row + 0.5) / rows) * plot.height) * ratio);
        const [red, green, blue] = picture.getImageData(x, y, 1, 1).data;
        let best = null;
        let least = 12;
        for (let at = 0; at < 256; at += 1) {
          const away =
            Math.abs(ramp[at * 3] - red) + Math.abs(ramp[at * 3 + 1] - green) + Math.abs(ramp[at * 3 + 2] - blue);
          if (away < least) [best, least] = [at, away];
        }
        return best;
      });
    },
    [ROWS, back],
  );
}

const show = (name) => page.getByRole('group', { name: 'What is shown' }).getByRole('button', { name }).click();

/** Waits until the map shows the metric up to the present second. */
async function drawn(metric = 'write') {
  const { now } = await server.control('GET', 'clock');
  await page.waitForFunction(
    ([metric, now]) => {
      const shown = document.querySelector('.heat-canvas')?.dataset;
      return shown?.metric === metric && Number(shown.to) >= now;
    },
    [metric, now],
  );
}

for (const colorScheme of ['light', 'dark']) {
  test(`the row of a hot key is hot, and no other is (${colorScheme})`, async () => {
    await page.emulateMedia({ colorScheme });
    await page.go('#/tables/orders');
    await drawn();
    const { row } = await hotRow();
    const seen = await rowsSeen();
    assert.ok(seen[row] > 235, `${seen}`);
    seen.forEach((heat, at) => {
      if (at !== row) assert.ok(heat === null || heat < 128, `row ${at}: ${seen}`);
    });
    assert.ok(seen.filter((heat) => heat === null).length > 10, 'most rows were not used in that second');
    assert.ok(seen.filter((heat) => heat !== null).length > 3, 'some cold rows were');
  });
}

test('reads and throttles have maps of their own', async () => {
  await server.dynamo('Query', {
    TableName: 'orders',
    KeyConditionExpression: 'pk = :p',
    ExpressionAttributeValues: { ':p': { S: 'hot' } },
  });
  await server.control('POST', 'clock/advance', { ms: 1000 });
  await page.go('#/tables/orders');
  await drawn();
  await show('Read');
  await drawn('read');
  const { row } = await hotRow('read');
  const seen = await rowsSeen(2);
  assert.ok(seen[row] > 235, `${seen}`);
  assert.equal(seen.filter((heat) => heat !== null).length, 1, `${seen}`);

  await server.control('PATCH', 'capacity', { partition_write_cap: 10 });
  for (let i = 0; i < 30; i += 1) await put('hot', `${i}`);
  await server.control('POST', 'clock/advance', { ms: 1000 });
  await show('Throttled');
  await drawn('throttle');
  const throttled = await rowsSeen(2);
  assert.ok(throttled[row] > 235, `${throttled}`);
  assert.equal(throttled.filter((heat) => heat !== null).length, 1);
  await server.control('PATCH', 'capacity', { partition_write_cap: 1000 });
});

test('an index has its own map, keys and partitions', async () => {
  await page.go('#/tables/orders');
  await page.getByRole('link', { name: 'Index by-day' }).click();
  await page.waitForFunction(() => location.hash === '#/tables/orders/indexes/by-day');
  await drawn();
  const { row } = await hotRow('write', 'by-day');
  const seen = await rowsSeen(6);
  assert.ok(seen[row] > 100, `${seen}`);
  assert.equal(seen.filter((heat) => heat !== null).length, 1, 'all of its entries have one key');
  await page.getByRole('rowheader', { name: 'monday' }).waitFor();
});

test('the pointer names partition, range, units and the hot key', async () => {
  await page.go('#/tables/orders');
  await drawn();
  const { row, key } = await hotRow();
  await page.getByRole('rowheader', { name: 'hot', exact: true }).waitFor();
  const canvas = page.locator('.heat-canvas');
  const plot = JSON.parse(await canvas.getAttribute('data-plot'));
  const columns = Number(await canvas.getAttribute('data-columns'));
  await canvas.hover({
    position: {
      x: plot.x + ((columns - 9.5) / columns) * plot.width,
      y: plot.y + ((row + 0.5) / ROWS) * plot.height,
    },
  });
  const said = await page.locator('.readout').innerText();
  assert.match(said, /4\d write units/);
  assert.match(said, new RegExp(key.partition));
  assert.match(said, new RegExp(`${(row * 1024).toString(16)}–`));
  assert.match(said, /hot \(\d+ %\)/);
});

test('dragging looks closer, in time and in keys, and a double click shows all again', async () => {
  await page.go('#/tables/orders');
  await drawn();
  const canvas = page.locator('.heat-canvas');
  const plot = JSON.parse(await canvas.getAttribute('data-plot'));
  const box = await canvas.boundingBox();
  const at = (x, y) => [box.x + plot.x + plot.width * x, box.y + plot.y + plot.height * y];
  await page.mouse.move(...at(0.5, 0.25));
  await page.mouse.down();
  await page.mouse.move(...at(0.7, 0.4));
  await page.mouse.move(...at(0.9, 0.5));
  await page.mouse.up();
  await page.waitForFunction(() => document.querySelector('.follows').dataset.live === 'false');
  await page.waitForFunction(() =>
    /key space (3|4)/.test(document.querySelector('.heat').getAttribute('aria-label')),
  );
  const columns = Number(await canvas.getAttribute('data-columns'));
  assert.ok(columns < 60, `${columns} columns`);
  await canvas.dblclick();
  await page.waitForFunction(() => document.querySelector('.follows').dataset.live === 'true');
  await page.waitForFunction(() =>
    /key space 0000 to ffff/.test(document.querySelector('.heat').getAttribute('aria-label')),
  );
});

test('the keys do what the pointer does, and are told', async () => {
  await page.go('#/tables/orders');
  await drawn();
  const heat = page.getByRole('application');
  await page.getByRole('button', { name: 'Reset', exact: true }).focus();
  await page.keyboard.press('Tab');
  assert.ok(await heat.evaluate((element) => element === document.activeElement));
  const readout = page.locator('.readout');
  assert.equal(await readout.getAttribute('aria-live'), 'polite');
  const first = await readout.innerText();
  assert.match(first, /p-000\d/);
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('ArrowDown');
  assert.notEqual(await readout.innerText(), first);
  for (let i = 0; i < 5; i += 1) await page.keyboard.press('Shift+ArrowLeft');
  for (let i = 0; i < 8; i += 1) await page.keyboard.press('Shift+ArrowDown');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.querySelector('.follows').dataset.live === 'false');
  await page.waitForFunction(() => Number(document.querySelector('.heat-canvas').dataset.columns) === 6);
  await page.keyboard.press('-');
  await page.waitForFunction(() => Number(document.querySelector('.heat-canvas').dataset.columns) > 6);
  await page.keyboard.press('0');
  await page.waitForFunction(() => document.querySelector('.follows').dataset.live === 'true');
});

test('the same figures are there as a table', async () => {
  await page.go('#/tables/orders');
  await drawn();
  await page.getByText('The heat map as a table').click();
  const table = page.getByRole('region', { name: 'Heat map as a table' });
  await table.getByRole('row').nth(16).waitFor();
  const { row } = await hotRow();
  const cells = await table
    .getByRole('row')
    .nth(1 + Math.floor(row / 4))
    .getByRole('cell')
    .allInnerTexts();
  const sums = cells.map((text) => Number(text.replaceAll(',', '')));
  assert.ok(Math.max(...sums) >= 400, `${sums}`);
});

test('a split is drawn from the moment at which it happens, and the partitions follow', async () => {
  await page.go('#/tables/orders');
  await drawn();
  await page.getByRole('button', { name: 'Split p-0001', exact: true }).click();
  await page.getByText('p-0001 is now p-0005 and p-0006.').waitFor();
  await page
    .getByText('10 more to know')
    .or(page.getByRole('cell', { name: 'p-0006', exact: true }))
    .first()
    .waitFor();
  await server.control('POST', 'clock/advance', { ms: 10000 });
  await page.waitForFunction(() => Number(document.querySelector('.heat-canvas').dataset.splits) === 1);
  const story = await page.getByRole('table', { name: 'Partitions' }).innerText();
  assert.match(story, /from p-0001/);
});

test('a boundary is as old as the split that made it', async () => {
  const dates = await page.evaluate(async () => {
    const { dateBoundaries } = await import('/_thermodyn/heatmap.js');
    const made = (id, parent, created) => ({ id, parent, created });
    // p-1 to p-3 came with the table; p-1 was split into p-4 and p-5, p-2 into p-6 and p-7, p-7 into p-8 and p-9.
    const partitions = [
      made('p-4', 'p-1', 20),
      made('p-5', 'p-1', 20),
      made('p-6', 'p-2', 30),
      made('p-8', 'p-7', 40),
      made('p-9', 'p-7', 40),
      made('p-3', null, 10),
    ];
    dateBoundaries(partitions);
    return partitions.slice(1).map(({ since, wasSplit }) => (wasSplit ? since : 'older'));
  });
  assert.deepEqual(dates, [20, 'older', 30, 40, 'older']);
});

test('what is hot is seen while it happens', async () => {
  await server.control('PUT', 'clock', { mode: 'real' });
  const load = startLoad(server, 4, (i) => [
    'PutItem',
    { TableName: 'orders', Item: { pk: { S: i % 4 > 0 ? 'burning' : `cold-${i}` }, sk: { S: `${i}` } } },
  ]);
  await using(load, async () => {
    await page.go('#/tables/orders');
    await drawn();
    await page.getByRole('rowheader', { name: 'burning', exact: true }).waitFor();
    await page.waitForTimeout(4000);
    await drawn();
    await lookAtBurning();
  });
});

async function using(load, look) {
  try {
    await look();
  } finally {
    assert.ok((await load.stop()) > 50);
  }
}

async function lookAtBurning() {
  const { keys } = await server.control('GET', 'hotkeys?table=orders&window_ms=60000');
  const row = Number(BigInt(`0x${keys.find((each) => each.key.pk.S === 'burning').hash}`) >> 58n);
  const seen = await rowsSeen(3);
  const others = seen.filter((heat, at) => at !== row && heat !== null);
  assert.ok(seen[row] > 1.5 * Math.max(...others), `${row}: ${seen}`);
}
