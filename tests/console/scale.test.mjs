// Many tables and partitions: the page stays small and quick, and what it asks for stays cheap. Prints its figures.
import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { launch, openPage, startServer, tableInput, test } from './support.mjs';

const TABLES = 1000;
const PARTITIONS = 5000;
const ROWS_MAX = 60;
let server, browser, page;

before(async () => {
  server = await startServer();
  browser = await launch();
  await server.control('PATCH', 'capacity', {
    ondemand_initial_partitions: PARTITIONS,
  }); /* tables that exist grow too */
  await server.dynamo('CreateTable', tableInput('wide'));
  await server.control('PATCH', 'capacity', { ondemand_initial_partitions: 4 });
  for (let at = 0; at < TABLES; at += 50) {
    await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        server.dynamo('CreateTable', tableInput(`table-${String(at + i).padStart(4, '0')}`)),
      ),
    );
  }
  page = await openPage(browser, server);
});
after(async () => {
  await browser.close();
  await server.stop();
  assert.deepEqual(page.faults, []);
});

/** The longest pauses of the page's thread while something is done, in ms. */
async function longest(work) {
  await page.evaluate(() => {
    window.pauses = [0];
    window.watcher?.disconnect();
    window.watcher = new PerformanceObserver((list) =>
      window.pauses.push(...list.getEntries().map((each) => Math.round(each.duration))),
    );
    window.watcher.observe({ entryTypes: ['longtask'] });
  });
  await work();
  return page.evaluate(() => window.pauses.sort((a, b) => b - a)[0]);
}

async function scrollThrough(label) {
  const body = page.getByRole('rowgroup', { name: label });
  const height = await body.evaluate((element) => element.scrollHeight);
  for (let part = 0; part <= 20; part += 1) {
    await body.evaluate(
      (element, top) => {
        element.scrollTop = top;
      },
      (height * part) / 20,
    );
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
    assert.ok((await body.getByRole('row').count()) <= ROWS_MAX);
  }
}

test('a thousand tables: only the rows in sight exist, and each of them comes into sight', async (t) => {
  await page.go('#/');
  await page.getByRole('link', { name: 'table-0000' }).waitFor();
  const table = page.getByRole('table', { name: 'Tables and global indexes' });
  assert.equal(await table.getAttribute('aria-rowcount'), String(TABLES + 2));
  const pause = await longest(() => scrollThrough('Tables and global indexes'));
  await page.getByRole('link', { name: 'wide', exact: true }).waitFor();
  t.diagnostic(`longest pause while scrolling through ${TABLES} tables: ${pause} ms`);
  const resting = await longest(() => page.waitForTimeout(5000));
  t.diagnostic(`longest pause in five ticks: ${resting} ms`);
});

test('five thousand partitions: the same', async (t) => {
  const loading = await longest(async () => {
    await page.goto(`${server.url}/_thermodyn/#/tables/wide`);
    await page.getByRole('row').filter({ hasText: 'p-0001' }).first().waitFor();
  });
  const table = page.getByRole('table', { name: 'Partitions' });
  assert.equal(await table.getAttribute('aria-rowcount'), String(PARTITIONS + 1));
  const pause = await longest(() => scrollThrough('Partitions'));
  await page
    .getByRole('row')
    .filter({ hasText: `p-${PARTITIONS}` })
    .waitFor();
  t.diagnostic(`longest pause while loading ${PARTITIONS} partitions: ${loading} ms, while scrolling: ${pause} ms`);
});

test('a tick costs a few milliseconds with a thousand tables', async (t) => {
  const asked = [
    'tables/wide/partitions',
    'tables',
    'heatmap?table=table-0000',
    'tables/table-0000/partitions',
    'clock',
  ];
  for (let i = 0; i < TABLES; i += 1) {
    await server.dynamo('PutItem', {
      TableName: `table-${String(i).padStart(4, '0')}`,
      Item: { pk: { S: `${i}` }, sk: { S: 'x' } },
    });
  }
  await page.goto('about:blank');
  for (const path of asked) {
    const before = server.cpu();
    for (let i = 0; i < 20; i += 1)
      await fetch(`${server.url}/_thermodyn/${path}`).then((answer) => answer.arrayBuffer());
    t.diagnostic(`GET ${path}: ${((server.cpu() - before) / 20).toFixed(2)} ms of processor time`);
    if (path.includes('wide')) await server.dynamo('DeleteTable', { TableName: 'wide' });
  }
});
