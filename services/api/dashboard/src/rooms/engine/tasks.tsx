/** Tasks that recur: when each runs, how its last run went, and run it now. */
import { addTask, runTask, switchTask } from "../../api/calls";
import { paths } from "../../api/paths";
import type { TaskPage } from "../../api/types";
import { brief } from "../../lib/time";
import { act } from "../../lib/undo";
import { Empty, Load } from "../../ui/states";
import { Add, Remove } from "../settings/add";
import { Table } from "../../ui/table";

interface Task { id: string; name: string; prompt: string; cron_expression: string; harness: string; enabled: number | boolean; working_directory: string | null; skip_permissions: number | boolean; next_run_at: string | null; last_run_at: string | null; last_run_status?: string | null }

/** Those that run a prompt without a person. */
const HARNESSES = ["claude-code", "codex", "opencode"];

export function Tasks() {
  const shows = ({ name, harness, prompt, working_directory: folder, skip_permissions: free }: Task) => ({ name, harness, prompt, folder: folder ?? "", permissions: free ? "not asked for" : "asked for" });
  const run = (task: Task) => act(() => runTask(task.id, shows(task)), `${task.name} is running.`);
  const turn = (task: Task, to: boolean) => () => switchTask(task.id, to, shows(task));
  return <Load<TaskPage> path={paths.tasks} topics={["task"]} rows={3} what="tasks">{(page) => {
    const tasks = page.tasks as unknown as Task[];
    return <>{tasks.length === 0 ? <Empty title="No task yet"><p>A task sends a prompt to an agent at set times.</p></Empty> :
      <Table of={["Task", "When", "Last run", "Next run", <span class="hidden">Do</span>]}>{tasks.map((one) => <tr key={one.id}><th scope="row">{one.name}<br /><span class="small soft">{one.prompt.slice(0, 120)}</span></th>
          <td><code>{one.cron_expression}</code><br /><span class="small soft">{one.harness}</span></td>
          <td class={one.last_run_status === "failed" ? "bad" : ""}>{one.last_run_at ? `${brief(one.last_run_at)}${one.last_run_status ? `, ${one.last_run_status}` : ""}` : "never"}</td>
          <td>{one.enabled ? brief(one.next_run_at) : "switched off"}</td>
          <td><button onClick={() => run(one)}>Run now</button>
            <button class="plain" onClick={() => act(turn(one, !one.enabled), `${one.name} is switched ${one.enabled ? "off" : "on"}.`, turn(one, Boolean(one.enabled)))}>Switch {one.enabled ? "off" : "on"}</button>
            <Remove kind="tasks" id={one.id} name={one.name} loses="Its runs are deleted, too." /></td></tr>)}</Table>}
      <Add title="Add a task" does={addTask} done={({ name }) => `${name} is added.`} note="Nobody answers when a task runs: without permission prompts, its agent may do anything." fields={[
        { name: "name", label: "Name" }, { name: "prompt", label: "Prompt" },
        { name: "cronExpression", label: "When, as a cron expression", placeholder: "0 9 * * *", like: page.presets.map((one) => [one.expression!, one.label!]) },
        { name: "harness", label: "Harness", of: HARNESSES }, { name: "workingDirectory", label: "Folder that it works in", isOptional: true },
        { name: "skipPermissions", label: "Without permission prompts", type: "checkbox" }]} /></>;
  }}</Load>;
}
