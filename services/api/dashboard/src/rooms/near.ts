/** What most people open: one file, asked for at once. */
export { default as today } from "./today";
export { default as memories } from "./memories/room";
export { ProjectChoice as choice, Projects as projects } from "../ui/project";
