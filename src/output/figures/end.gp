
unset output
}
