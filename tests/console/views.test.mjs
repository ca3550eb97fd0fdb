// Every view but the heat map's pixels: what it shows of a live server, and what its buttons do.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { after, before } from 'node:test';
import { launch, openPage, startLoad, startServer, tableInput, test } from './support.mjs';

let server, browser, page;

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
          ProvisionedThroughput: { ReadCapacityUnits: 20, WriteCapacityUnits: 10 },
          KeySchema: [{ AttributeName: 'day', KeyType: 'HASH' }],
        },
      ],
    }),
  );
  await server.dynamo('CreateTable', tableInput('customers'));
  for (let i = 0; i < 120; i += 1) {
    await server.dynamo('PutItem', {
      TableName: 'customers',
      Item: {
        pk: { S: `c-${i % 4}` },
        sk: { S: String(i).padStart(3, '0') },
        age: { N: '123456789012345678901234567890.12345678' },
        tags: { SS: ['a', 'b'] },
        ok: { BOOL: i % 8 < 4 },
      },
    });
  }
  page = await openPage(browser, server);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
});
after(async () => {
  await browser.close();
  await server.stop();
  assert.deepEqual(page.faults, []);
});

const button = (name) => page.getByRole('button', { name, exact: true });
const switchTo = async (hash) => {
  await page.go('#/');
  await page.go(hash);
};

test('the overview shows what is used and refused now, and sorts and filters', async () => {
  const load = startLoad(server, 4, (i) => [
    'PutItem',
    { TableName: 'orders', Item: { pk: { S: 'hot' }, sk: { S: `${i % 50}` }, day: { S: 'monday' } } },
  ]);
  await page.go('#/');
  const row = page.getByRole('row').filter({ has: page.getByRole('link', { name: 'orders', exact: true }) });
  await row.getByText('provisioned').waitFor();
  await page.waitForFunction(
    () => [...document.querySelectorAll('.badge-problem')].some((badge) => /\d\/s$/.test(badge.textContent)),
    null,
    { timeout: 180000 },
  );
  assert.match(await row.innerText(), /[\d.,]+ \/ 10/);
  assert.equal(await page.getByRole('row').count(), 1 + 3, 'a heading, two tables and an index');
  await load.stop();
  await button('Items').click();
  const names = () => page.locator('.list-space a').allInnerTexts();
  const before = await names();
  assert.deepEqual(before[0], 'customers');
  await button('Items').click();
  assert.notEqual((await names())[0], 'customers');
  await page.getByRole('searchbox', { name: 'Filter tables by name' }).fill('day');
  assert.deepEqual(await names(), ['by-day']);
  await page.getByText('1 of 3').waitFor();
  await page.getByRole('searchbox').fill('');
});

test('the page asks about once a second, and hardly at all while it is hidden', async () => {
  await page.go('#/');
  let asked = 0;
  const count = (request) => {
    if (request.url().endsWith('/_thermodyn/tables')) asked += 1;
  };
  page.on('request', count);
  await page.waitForTimeout(4000);
  assert.ok(asked >= 1 && asked <= 5, `${asked} in four seconds`);
  await page.evaluate(() => {
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => true });
    document.dispatchEvent(new Event('visibilitychange'));
  });
  await page.waitForTimeout(1500);
  asked = 0;
  await page.waitForTimeout(4000);
  assert.equal(asked, 0);
  await page.evaluate(() => {
    delete document.hidden;
    document.dispatchEvent(new Event('visibilitychange'));
  });
  await page.waitForTimeout(1000);
  assert.ok(asked >= 1);
  page.off('request', count);
});

test('a table shows its throughput, burst, throttles, hottest keys, advice and partitions', async () => {
  await page.go('#/tables/orders');
  await page.getByRole('rowheader', { name: 'TableWriteProvisionedThroughputExceeded' }).waitFor();
  await page.getByText(/ of 10\/s$/).waitFor();
  const throttled = page.getByRole('row').filter({ hasText: 'TableWriteProvisionedThroughputExceeded' });
  assert.ok(Number((await throttled.getByRole('cell').innerText()).replaceAll(',', '')) > 0);
  await page.getByRole('rowheader', { name: 'hot', exact: true }).waitFor();
  await button('Whole key').click();
  await page
    .getByRole('rowheader', { name: /^hot \/ / })
    .first()
    .waitFor();
  await page.locator('.advice li').filter({ hasText: 'refused' }).first().waitFor();
  assert.match(await page.getByRole('table', { name: 'Partitions' }).innerText(), /p-0001/);
  assert.match(
    await page.locator('.chart-write canvas').getAttribute('aria-label'),
    /^Write units a second: .* at most, 10 provisioned$/,
  );
  await button('Refill buckets').click();
  await page.getByText('The buckets are full again.').waitFor();
  const { buckets } = await server.control('GET', 'tables/orders/partitions');
  assert.equal(buckets[0].write.throttled, 0);
});

test('a table that is gone is told, and the way back works', async () => {
  await page.go('#/tables/nothing');
  await page.getByRole('alert').filter({ hasText: 'there is no table' }).waitFor();
  await page.getByRole('link', { name: 'Tables' }).first().click();
  await page.getByRole('link', { name: 'customers' }).waitFor();
  page.faults = page.faults.filter((fault) => !/status of 404/.test(fault));
});

test('items are browsed page by page, queried by key, and filtered', async () => {
  await page.go('#/tables/customers/items');
  await page.getByText(/^Scan: page 1, 50 of 50 items read, [\d.]+ read units$/).waitFor();
  await button('Next').click();
  await page.getByText(/^Scan: page 2,/).waitFor();
  await button('Next').click();
  await page.getByText(/^Scan: page 3, 20 of 20/).waitFor();
  assert.ok(await button('Next').isDisabled());
  await button('Previous').click();
  await page.getByText(/^Scan: page 2,/).waitFor();
  await page.getByLabel('pk (partition key, S)').fill('c-1');
  await page.getByLabel('How sk compares').selectOption('BETWEEN');
  await page.getByLabel('sk, sort key').fill('020');
  await page.getByLabel('sk, upper end').fill('040');
  await button('Show').click();
  await page.getByText(/^Query: page 1, 5 of 5 items/).waitFor();
  await page.getByLabel('pk (partition key, S)').fill('');
  await button('Add a filter').click();
  await page.getByLabel('Attribute of the filter').fill('ok');
  await page.getByLabel('Type of the filter’s value').selectOption('BOOL');
  await page.getByLabel('Value of the filter').fill('true');
  await button('Show').click();
  await page.getByText(/^Scan: page 1, 25 of 50/).waitFor();
  await page.getByLabel('How the filter compares').selectOption('begins_with');
  await button('Show').click();
  await page.getByRole('alert').filter({ hasText: 'ValidationException' }).waitFor();
  page.faults = page.faults.filter((fault) => !/status of 400/.test(fault));
});

test('an item is shown as DynamoDB JSON and as plain JSON, all digits kept', async () => {
  await switchTo('#/tables/customers/items');
  await page.locator('table.items button').first().click();
  const dialog = page.getByRole('dialog');
  assert.equal(JSON.parse(await dialog.locator('pre').innerText()).age.N, '123456789012345678901234567890.12345678');
  await dialog.getByRole('button', { name: 'Plain JSON' }).click();
  const plain = await dialog.locator('pre').innerText();
  assert.match(plain, /"age": 123456789012345678901234567890\.12345678/);
  assert.deepEqual(JSON.parse(plain).tags, ['a', 'b']);
  assert.equal(await dialog.getByRole('button', { name: 'Delete' }).count(), 0, 'editing is off');
  await page.keyboard.press('Escape');
  assert.equal(await dialog.count(), 0);
  assert.ok(
    await page.evaluate(() => document.activeElement.classList.contains('link')),
    'the focus is where it was',
  );
});

test('items are added, changed and deleted once editing is allowed', async () => {
  await switchTo('#/tables/customers/items');
  await page.getByText(/^Scan: page 1/).waitFor();
  assert.ok(await button('New item').isHidden());
  await page.getByRole('switch', { name: 'Allow editing' }).check();
  await button('New item').click();
  const area = page.getByLabel('The item as DynamoDB JSON');
  await area.fill('{"pk":{"S":"new"},"sk":{"S":"1"},"n":{"N":"1"}}');
  await button('Store').click();
  await page.getByText('The item is stored.').waitFor();
  await page.getByLabel('pk (partition key, S)').fill('new');
  await button('Show').click();
  await page.getByText(/^Query: page 1, 1 of 1/).waitFor();
  await page.getByRole('button', { name: 'new', exact: true }).click();
  await button('Edit').click();
  await area.fill('{"pk":{"S":"other"},"sk":{"S":"1"},"n":{"N":"2"}}');
  await button('Store').click();
  await page.getByText('another key is a new item').waitFor();
  await area.fill('{"pk":{"S":"new"},"sk":{"S":"1"},"n":{"N":"2"}}');
  await button('Store').click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  const key = { pk: { S: 'new' }, sk: { S: '1' } };
  assert.deepEqual((await server.dynamo('GetItem', { TableName: 'customers', Key: key })).Item.n, { N: '2' });
  await page.getByRole('button', { name: 'new', exact: true }).click();
  await button('Delete').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('The item is deleted.').waitFor();
  assert.equal((await server.dynamo('GetItem', { TableName: 'customers', Key: key })).Item, undefined);
});

test('the clock stands still, steps and runs faster', async () => {
  await page.go('#/time');
  await button('Stand still').click();
  await page.getByText('Time stands still, and moves only when told.').waitFor();
  const { now } = await server.control('GET', 'clock');
  await button('+ 5 min').click();
  await page.waitForFunction(
    (at) =>
      fetch('/_thermodyn/clock')
        .then((answer) => answer.json())
        .then((clock) => clock.now === at + 300000),
    now,
  );
  await button('60×').click();
  await page.getByText('Time runs 60 times as fast.').waitFor();
  assert.equal((await server.control('GET', 'clock')).rate, 60);
  await button('Real time').click();
  await page.getByText('Time runs as it does.').waitFor();
  assert.ok(await button('+ 1 s').isDisabled());
});

test('presets, enforcement, era and single settings are changed, for all or one table', async () => {
  await page.go('#/time');
  await button('Faithful').click();
  await page.getByText('The preset faithful is in force.').waitFor();
  assert.equal((await server.control('GET', 'capacity')).capacity_scale, 1);
  await button('Observe').click();
  await page.waitForFunction(() =>
    fetch('/_thermodyn/capacity')
      .then((answer) => answer.json())
      .then((all) => all.enforce === 'observe'),
  );
  await page.getByLabel('Settings of').selectOption('orders');
  await page.getByRole('searchbox', { name: 'Filter settings' }).fill('burst_win');
  const field = page.getByRole('spinbutton', { name: 'burst_window' });
  await field.fill('60');
  await field.press('Enter');
  await page.getByText('burst_window is 60.').waitFor();
  assert.equal((await server.control('GET', 'capacity?table=orders')).burst_window, 60);
  assert.equal((await server.control('GET', 'capacity')).burst_window, 300);
  await page.getByRole('spinbutton', { name: 'burst_window' }).fill('-1');
  await page.getByRole('spinbutton', { name: 'burst_window' }).press('Enter');
  await page.locator('.note-problem').waitFor();
  page.faults = page.faults.filter((fault) => !/status of 400/.test(fault));
});

test('a fault rule is added, counts, and is removed', async () => {
  await page.go('#/time');
  await page.getByLabel('When').selectOption('GetItem');
  await page.getByLabel('On', { exact: true }).fill('customers');
  await page.getByRole('combobox', { name: 'Error', exact: true }).selectOption('InternalServerError');
  await page.getByLabel('At most').fill('2');
  await button('Add the rule').click();
  await page
    .getByRole('rowheader', { name: 'GetItem on customers fails with InternalServerError, at most 2 times' })
    .waitFor();
  for (let i = 0; i < 3; i += 1)
    await server.dynamo('GetItem', { TableName: 'customers', Key: { pk: { S: 'a' }, sk: { S: 'b' } } });
  const row = page.getByRole('row').filter({ hasText: 'GetItem on customers' });
  await row.getByRole('cell', { name: '3', exact: true }).waitFor();
  await row.getByRole('cell', { name: '2', exact: true }).waitFor();
  await row.getByRole('button', { name: /^Remove/ }).click();
  await page.getByText('No rules: nothing is provoked.').waitFor();
});

test('a snapshot is kept, gone back to when that is confirmed, and removed', async () => {
  await page.go('#/time');
  await page.getByText('No snapshots: nothing is kept.').waitFor();
  await page.getByLabel('Name of the snapshot').fill('before');
  await button('Keep the present state').click();
  const row = page.getByRole('row').filter({ hasText: 'before' });
  await row.getByRole('cell', { name: '0 (0 B)', exact: true }).waitFor();
  const Key = { pk: { S: 'of the snapshot' }, sk: { S: 'a' } };
  await server.dynamo('PutItem', { TableName: 'customers', Item: Key });
  await row.getByRole('cell', { name: /^1 / }).waitFor();
  await row.getByRole('button', { name: 'Go back: before', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  assert.ok((await server.dynamo('GetItem', { TableName: 'customers', Key })).Item);
  await row.getByRole('button', { name: 'Go back: before', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Go back', exact: true }).click();
  await page.getByText('Back at before.').waitFor();
  assert.equal((await server.dynamo('GetItem', { TableName: 'customers', Key })).Item, undefined);
  await row.getByRole('button', { name: 'Remove: before', exact: true }).click();
  await page.getByText('No snapshots: nothing is kept.').waitFor();
});

test('what is copied as curl does what the button does', async () => {
  await page.go('#/time');
  await page.getByRole('button', { name: 'Copy as curl: Stand still' }).click();
  await page.getByText('Copied the request as a curl command.').waitFor();
  const command = await page.evaluate(() => navigator.clipboard.readText());
  assert.match(command, /^curl -X PUT 'http:\/\/127\.0\.0\.1:\d+\/_thermodyn\/clock' -d '\{"mode":"manual"\}'$/);
  assert.equal(JSON.parse(execFileSync('sh', ['-c', `${command} -s`])).mode, 'manual');
  await server.control('PUT', 'clock', { mode: 'real' });
  await page.go('#/tables/customers/items');
  await page.getByLabel('pk (partition key, S)').fill("it's");
  await page.getByRole('button', { name: 'Copy as curl: this page' }).click();
  const query = await page.evaluate(() => navigator.clipboard.readText());
  assert.equal(JSON.parse(execFileSync('sh', ['-c', `${query} -s`])).Count, 0);
});

test('a server that does not answer is told, and found again', async () => {
  await page.go('#/');
  await page.route('**/*', (route) => route.abort());
  await page.getByText('no answer, trying again').waitFor();
  await page.evaluate(() => {
    location.hash = '#/tables/customers/items';
  });
  await page.getByText('The server does not answer.').waitFor();
  await page.unroute('**/*');
  await page.getByText(/· live$/).waitFor({ timeout: 40000 });
  await page.locator('table.items').waitFor();
  await page.getByText('The server does not answer.').waitFor({ state: 'hidden' });
  page.faults = page.faults.filter((fault) => !/ERR_FAILED/.test(fault));
});

for (const file of ['app.js', 'list.js', 'views.css']) {
  test(`a page of which ${file} did not arrive is loaded again`, async () => {
    const own = await openPage(browser, server);
    await own.addInitScript(() => {
      const isThere = (sheet) => {
        try {
          return sheet.cssRules.length > 0;
        } catch {
          return false; /* it is not, or not yet */
        }
      };
      window.countStyles = () => [...document.styleSheets].filter(isThere).length;
    });
    await own.route(`**/${file}`, (route) => route.abort('failed'), { times: 1 });
    await own.goto(`${server.url}/_thermodyn/#/`, { waitUntil: 'commit' }); // the first load may never be whole
    await own.waitForFunction(() => window.countStyles() === 2);
    await own.getByRole('link', { name: 'orders', exact: true }).waitFor();
    assert.deepEqual(own.faults.filter((fault) => !/Failed to load resource/.test(fault)), []);
    await own.context().close();
  });
}

test('what was asked for and never came is asked for again', async () => {
  const own = await openPage(browser, server);
  await own.clock.install();
  let asked = 0;
  await own.route('**/clock', (route) => {
    asked += 1;
    if (asked > 1) route.continue(); /* the first is never answered */
  });
  await own.go('#/');
  await own.clock.runFor(25000);
  assert.equal(asked, 1);
  await own.clock.runFor(6000);
  await own.getByText('no answer, trying again').waitFor();
  await own.clock.runFor(2000);
  await own.getByText(/· live$/).waitFor();
  assert.deepEqual(own.faults, []);
  await own.context().close();
});

test('the theme is chosen, kept, and follows the system otherwise', async () => {
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.go('#/');
  const background = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  const dark = await background();
  await page.getByRole('button', { name: 'Theme: auto' }).click();
  const light = await background();
  assert.notEqual(dark, light);
  await page.reload();
  await page.getByRole('button', { name: 'Theme: light' }).click();
  assert.equal(await background(), dark);
  await page.getByRole('button', { name: 'Theme: dark' }).click();
  await page.emulateMedia({ colorScheme: 'light' });
  assert.equal(await background(), light);
});

test('the server is reset only when that is confirmed', async () => {
  await page.go('#/time');
  await button('Reset the server').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  assert.equal((await server.control('GET', 'tables')).tables.length, 2);
  await button('Reset the server').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Reset', exact: true }).click();
  await page.getByText('Reset: 2 tables dropped.').waitFor();
  await page.go('#/');
  await page.getByText('There are no tables yet.').waitFor();
});
