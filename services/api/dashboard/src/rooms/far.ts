/** What is opened less often, and what lies over the page. */
import "./near";
export { default as sessions } from "./sessions/room";
export { default as map } from "./map/room";
export { default as engine } from "./engine/room";
export { default as settings } from "./settings/room";
export { default as capture } from "./capture";
export { default as keys } from "../ui/help";
export { default as palette } from "../ui/palette";
export { default as consent } from "../ui/consent";
export { default as token } from "../ui/token";
