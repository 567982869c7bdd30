import mirrorlake = require("mirrorlake");

export const open = mirrorlake.openLake;
