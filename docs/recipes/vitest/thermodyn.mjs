// A server for the run, on a free port with a clock that stands still. Names no test runner: Jest takes it as well.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

export async function startThermodyn(...options) {
  const server = spawn('thermodyn', ['--port', '0', '--preset', 'unit-test', '--log-level', 'warn', ...options],
    { stdio: ['ignore', 'pipe', 'inherit'] });
  let url;
  for await (const line of createInterface(server.stdout)) {
    url = line.match(/listening on (\S+)/)?.[1];
    if (url) break;
  }
  if (!url) throw new Error('the server does not start');

  async function control(method, path, body) {
    const answer = await fetch(`${url}/_thermodyn/${path}`, { method, body: body && JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  }

  return {
    url,
    control,
    reset: () => control('POST', 'reset'),
    advance: (ms) => control('POST', 'clock/advance', { ms }),
    async throttled(table) {
      const { tables: [{ resources }] } = await control('GET', `totals?table=${table}`);
      const reasons = resources.flatMap((each) => Object.entries(each.reasons));
      return Object.fromEntries(reasons.filter(([, count]) => count > 0));
    },
    stop: () => server.kill(),
  };
}
