// support.mjs: a server, a browser and traffic for the tests of the console.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test as runTest } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { chromium } from 'playwright-core';

const PATIENCE_MS = 60000; // bounds for what hangs, not for a machine with other work
const LAST_PATIENCE_MS = 180000;

const HEADERS = {
  'Content-Type': 'application/x-amz-json-1.0',
  'X-Amz-Date': '20260101T000000Z',
  Authorization:
    'AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0',
};

/** A server on a free port: {url, dynamo(operation, input), control(method, path, body), stop()}. */
export async function startServer(...options) {
  const folder = mkdtempSync(join(tmpdir(), 'thermodyn-console-'));
  const portFile = join(folder, 'port');
  const process_ = spawn(
    process.env.SERVER,
    ['--port', '0', '--port-file', portFile, '--log-level', 'error', ...options],
    { stdio: ['ignore', 'inherit', 'inherit'] },
  );
  const ended = new Promise((resolve) => process_.on('exit', resolve));
  while (!(statSync(portFile, { throwIfNoEntry: false })?.size > 0)) {
    if (process_.exitCode !== null) throw new Error(`the server ended at once: ${process_.exitCode}`);
    await pause(10);
  }
  const url = `http://127.0.0.1:${readFileSync(portFile, 'utf8').trim()}`;
  const send = async (path, init) => {
    const answer = await fetch(url + path, init);
    return { status: answer.status, ...JSON.parse(await answer.text()) };
  };
  return {
    url,
    /** Processor time of the server's first thread, in ms. */
    cpu: () => Number(readFileSync(`/proc/${process_.pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6,
    dynamo: (operation, input) =>
      send('/', {
        method: 'POST',
        body: JSON.stringify(input),
        headers: { ...HEADERS, 'X-Amz-Target': `DynamoDB_20120810.${operation}` },
      }),
    control: (method, path, body) => send(`/_thermodyn/${path}`, { method, body: body && JSON.stringify(body) }),
    async stop() {
      process_.kill();
      const code = await ended;
      rmSync(folder, { recursive: true });
      if (code !== 0) throw new Error(`the server did not end in order: ${code}`);
    },
  };
}

export function tableInput(name, more = {}) {
  return {
    TableName: name,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [
      { AttributeName: 'pk', AttributeType: 'S' },
      { AttributeName: 'sk', AttributeType: 'S' },
    ],
    KeySchema: [
      { AttributeName: 'pk', KeyType: 'HASH' },
      { AttributeName: 'sk', KeyType: 'RANGE' },
    ],
    ...more,
  };
}

export function launch() {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu'],
  });
}

const openPages = new Set();
let patience = PATIENCE_MS;

/** A test whose pages say what they were at when it fails. What the browser did not do in time is tried once more, and
 * told: ./test shows lines that begin so. */
export function test(name, scene) {
  runTest(name, async (t) => {
    const before = new Set(openPages);
    try {
      await scene(t);
    } catch (error) {
      for (const page of openPages) t.diagnostic(await page.story());
      if (error.name !== 'TimeoutError') throw error;
      t.diagnostic(`tried again: ${name}: ${error.message.replace(/\s+/g, ' ')}`);
      for (const page of [...openPages].filter((each) => !before.has(each))) await page.context().close();
      setPatience(LAST_PATIENCE_MS);
      await scene(t);
    } finally {
      setPatience(PATIENCE_MS);
    }
  });
}

function setPatience(ms) {
  patience = ms;
  for (const page of openPages) page.setDefaultTimeout(ms);
}

/** Where the page is, what it asks for and has not got, and what a reader would see. */
function storyteller(page) {
  const asked = new Map();
  page.on('request', (request) => asked.set(request, Date.now()));
  page.on('requestfinished', (request) => asked.delete(request));
  const failed = [];
  page.on('requestfailed', (request) => {
    asked.delete(request);
    failed.push(`${request.url()}: ${request.failure()?.errorText}`);
  });
  return async () => {
    const waits = [...asked].map(([request, at]) => `${request.method()} ${request.url()} for ${Date.now() - at} ms`);
    const seen = await Promise.race([
      page.evaluate(() => document.body.innerText).catch((error) => error.message),
      pause(5000, 'nothing: the page does not answer'),
    ]);
    const shown = seen.replace(/\s+/g, ' ').slice(0, 1500);
    const lists = { 'waits for': waits, 'did not get': failed.slice(-10) };
    const told = Object.entries(lists).map(([what, list]) => `${what}: ${list.join(', ') || 'nothing'}; `);
    return `${page.url()} ${told.join('')}shows: ${shown}`;
  };
}

/** A page that remembers what it must not do: errors on its console, and requests to another host. */
export async function openPage(browser, server, { width = 1440, height = 900, ...more } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, ...more });
  const page = await context.newPage();
  page.setDefaultTimeout(patience);
  page.story = storyteller(page);
  openPages.add(page);
  page.on('close', () => openPages.delete(page));
  page.faults = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type()))
      page.faults.push(`${message.type()}: ${message.text()} ${message.location().url}`);
  });
  page.on('pageerror', (error) => page.faults.push(`uncaught: ${error.stack}`));
  page.on('request', (request) => {
    if (!request.url().startsWith(`${server.url}/`)) page.faults.push(`a request to ${request.url()}`);
  });
  page.go = async (hash) => {
    await page.goto(`${server.url}/_thermodyn/${hash}`);
    await page.locator('#main > *').waitFor();
  };
  return page;
}

/** Works until stopped: so many writers put what next(i) gives, one after the other. Refusals are part of it. */
export function startLoad(server, writers, next) {
  let isRunning = true;
  let count = 0;
  const work = Array.from({ length: writers }, async () => {
    while (isRunning) {
      count += 1;
      const [operation, input] = next(count);
      await server.dynamo(operation, input);
    }
  });
  return {
    async stop() {
      isRunning = false;
      await Promise.all(work);
      return count;
    },
  };
}
